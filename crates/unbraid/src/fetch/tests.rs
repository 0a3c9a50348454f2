use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Instant;

use super::*;

/// What a server does with one request for 1,000 bytes.
#[derive(Clone, Copy)]
enum Answer {
    /// As it should, but it closes the connection after so many bytes.
    Bytes(usize),
    /// It knows no ranges and sends everything.
    Everything,
    Status(&'static str),
    /// It says that it sends so many bytes, and does.
    Long(usize),
    /// It never stops.
    Endless,
    /// It says nothing at all until the other side has gone.
    Silence,
}

fn contents() -> Vec<u8> {
    (0..1000).map(|i| (i * 7 % 251) as u8).collect()
}

/// A server on a port of its own; returns what was asked of it, range by range.
fn serve(answers: Vec<Answer>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/data.bin", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let answer = |answer| answer_one(listener.accept().unwrap().0, answer);
        answers.into_iter().map(answer).collect()
    });
    (address, server)
}

fn answer_one(stream: TcpStream, answer: Answer) -> String {
    let lines = BufReader::new(&stream).lines().map_while(std::result::Result::ok);
    let request: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let range = request.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("range").then(|| value.to_string())
    });
    let start = range
        .as_deref()
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let (head, body) = match answer {
        Answer::Status(status) => (format!("{status}\r\ncontent-length: 0"), vec![]),
        Answer::Long(count) => (format!("200 OK\r\ncontent-length: {count}"), vec![1; count]),
        Answer::Endless => ("200 OK\r\nx: y".into(), vec![1; 1 << 20]),
        Answer::Silence => {
            // Until a byte comes, or the end.
            let _ = (&stream).read(&mut [0]);
            return String::new();
        }
        Answer::Everything => ("200 OK\r\ncontent-length: 1000".into(), contents()),
        Answer::Bytes(count) => {
            let from = start.unwrap_or(0);
            let rest = contents().split_off(from);
            let range = match start {
                Some(from) => format!("206 Partial\r\ncontent-range: bytes {from}-999/1000\r\n"),
                None => "200 OK\r\n".into(),
            };
            let head = format!("{range}content-length: {}", rest.len());
            (head, rest[..count.min(rest.len())].to_vec())
        }
    };
    let mut stream = stream;
    // Whoever has asked may be gone already.
    let _ = write!(stream, "HTTP/1.1 {head}\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(&body);
    while matches!(answer, Answer::Endless) && stream.write_all(&body).is_ok() {}
    range.unwrap_or_default()
}

fn fetched(answers: Vec<Answer>, kept: &[u8]) -> (Result<()>, Option<Vec<u8>>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("data.bin");
    if !kept.is_empty() {
        fs::write(partial(&target), kept).unwrap();
    }
    let (address, server) = serve(answers);
    let wanted = Wanted { address: &address, target: &target, most: 2_000_000 };
    let patience = Duration::from_millis(600);
    let result = fetch_with(wanted, patience, 1.0, &Stage::unwatched());
    (result, fs::read(&target).ok(), server.join().unwrap())
}

#[test]
fn a_transfer_that_breaks_off_goes_on_where_it_stopped() {
    let answers = vec![Answer::Bytes(300), Answer::Bytes(300), Answer::Bytes(1000)];
    let (result, file, asked) = fetched(answers, &[]);
    result.unwrap();
    assert_eq!(file.unwrap(), contents());
    assert_eq!(asked, ["", "bytes=300-", "bytes=600-"]);
}

#[test]
fn what_an_earlier_call_left_is_used_or_replaced() {
    let (result, file, asked) = fetched(vec![Answer::Bytes(1000)], &contents()[..990]);
    result.unwrap();
    assert_eq!((file.unwrap(), asked), (contents(), vec!["bytes=990-".to_string()]));
    let (result, file, _) = fetched(vec![Answer::Everything], b"something else");
    result.unwrap();
    assert_eq!(file.unwrap(), contents());
    let whole = Answer::Status("416 Range\r\ncontent-range: bytes */1000");
    let (result, file, _) = fetched(vec![whole], &contents());
    result.unwrap();
    assert_eq!(file.unwrap(), contents());
    // More than there is: the file has changed, so from the start.
    let (result, file, asked) = fetched(vec![whole, Answer::Bytes(1000)], &[0; 2000]);
    result.unwrap();
    assert_eq!((file.unwrap(), asked[1].as_str()), (contents(), ""));
}

#[test]
fn a_server_that_will_not_is_quoted() {
    let (result, file, _) = fetched(vec![Answer::Status("404 Not Found")], &[]);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("answers 404; get the file by hand"), "{error}");
    assert_eq!(file, None);
    let (result, _, asked) = fetched(vec![Answer::Bytes(10); ATTEMPTS], &[]);
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("broke off 4 times") && error.contains("run the command again"),
        "{error}"
    );
    assert_eq!(asked.len(), ATTEMPTS);
}

/// 11 GB in six seconds came of this once.
#[test]
fn a_body_without_an_end_is_cut_off_and_nothing_of_it_stays() {
    for answer in [Answer::Endless, Answer::Long(3_000_000)] {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("data.bin");
        let (address, server) = serve(vec![answer]);
        let wanted = Wanted { address: &address, target: &target, most: 2_000_000 };
        let error = fetch(wanted, 1.0, &Stage::unwatched()).unwrap_err().to_string();
        assert!(error.contains("sends more than the 2000000 bytes"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        server.join().unwrap();
    }
}

#[test]
fn a_silent_server_is_given_up_and_asked_again() {
    let start = Instant::now();
    let (result, file, _) = fetched(vec![Answer::Silence, Answer::Bytes(1000)], &[]);
    result.unwrap();
    assert_eq!(file.unwrap(), contents());
    assert!(start.elapsed() >= Duration::from_millis(600));
}

/// Asked to stop after half a second, while the server says nothing for a minute.
#[test]
fn whoever_asks_to_stop_is_heard_while_a_server_says_nothing() {
    struct Impatient(Instant);
    impl unbraid_measure::watch::Watch for Impatient {
        fn progress(&self, _now: &unbraid_measure::watch::Progress) {}
        fn note(&self, _text: &str) {}
        fn stopped(&self) -> bool {
            self.0.elapsed() > Duration::from_millis(500)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("data.bin");
    let (address, _server) = serve(vec![Answer::Silence]);
    let wanted = Wanted { address: &address, target: &target, most: 0 };
    let start = Instant::now();
    let watch = Impatient(start);
    let stage = Stage::new(&watch, "downloading");
    let error = fetch(wanted, 1.0, &stage).unwrap_err().to_string();
    assert!(error.contains("stopped"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
