//! Downloads that go on where they stopped, and that no server can make endless.
//!
//! A file is written as `NAME.part` and takes its name when it is whole; a later call asks the
//! server for the rest only. The network is read by a thread of its own, so that whoever asks to stop
//! is heard while a server says nothing.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use unbraid_measure::watch::Stage;
use ureq::Agent;
use ureq::http::Response;

use crate::error::{Error, Result};

/// How much is read at once.
const CHUNK: usize = 1 << 17;
/// A server that says nothing for this long is gone.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is looked whether somebody asked to stop.
const LOOK: Duration = Duration::from_millis(200);
/// How often a transfer that broke off is taken up again.
const ATTEMPTS: usize = 4;
/// What a file of unknown length may have at most.
const MOST: u64 = 20 << 30;

/// What is fetched.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Where it is.
    pub address: &'a str,
    /// What it is called here.
    pub target: &'a Path,
    /// How long it is at most; 0 where nobody knows.
    pub most: u64,
}

/// Download what is wanted, or what of it is missing. `share` of the work is told to `watch`.
pub fn fetch(wanted: Wanted, share: f64, watch: &Stage) -> Result<()> {
    fetch_with(wanted, PATIENCE, share, watch)
}

fn fetch_with(wanted: Wanted, patience: Duration, share: f64, watch: &Stage) -> Result<()> {
    let Wanted { address, target, most } = wanted;
    if target.is_file() {
        return Ok(watch.advance(share)?);
    }
    let partial = partial(target);
    let most = if most == 0 { MOST } else { most };
    let mut transfer = Transfer { address, partial, most, patience, told: 0.0, share, watch };
    let mut broken = None;
    for _ in 0..ATTEMPTS {
        match transfer.attempt() {
            Ok(()) => {
                unbraid_measure::files::rename(&transfer.partial, target)?;
                return Ok(watch.advance(share - transfer.told)?);
            }
            Err(Trouble::Broken(reason)) => broken = Some(reason),
            Err(Trouble::Final(error)) => return Err(error),
        }
    }
    let reason = broken.unwrap_or_default();
    Err(Error::Unable(format!(
        "{address} broke off {ATTEMPTS} times ({reason}); run the command again to go on where it \
         stopped"
    )))
}

/// What a file is called until it is whole.
fn partial(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    target.with_file_name(name)
}

enum Trouble {
    /// The connection was lost; what has come is kept.
    Broken(String),
    /// There is no use in trying again.
    Final(Error),
}

impl From<unbraid_measure::Error> for Trouble {
    fn from(error: unbraid_measure::Error) -> Self {
        Self::Final(error.into())
    }
}

/// What comes from the network, in order.
enum News {
    Head(Head),
    Body(Vec<u8>),
    /// The server has closed the connection.
    End,
    /// Something failed; whether there is use in trying again.
    Failed(String, bool),
}

/// What an answer says of itself.
struct Head {
    status: u16,
    /// Of this answer.
    length: Option<u64>,
    /// The first byte of a range, and the length of the whole.
    range: [Option<u64>; 2],
}

impl Head {
    fn of(response: &Response<ureq::Body>) -> Self {
        let range = header(response, "content-range").unwrap_or_default();
        let start = range.strip_prefix("bytes ").and_then(|range| range.split('-').next());
        let number = |text: &str| text.trim().parse().ok();
        Self {
            status: response.status().as_u16(),
            length: header(response, "content-length").and_then(number),
            // `bytes 100-199/200` starts at 100, and `bytes */200` is of 200 in all.
            range: [start.and_then(number), range.rsplit('/').next().and_then(number)],
        }
    }
}

struct Transfer<'a> {
    address: &'a str,
    partial: PathBuf,
    /// More bytes than these are not the file.
    most: u64,
    patience: Duration,
    /// The share of the work that the watch knows of.
    told: f64,
    share: f64,
    watch: &'a Stage<'a>,
}

impl Transfer<'_> {
    fn attempt(&mut self) -> std::result::Result<(), Trouble> {
        let have = fs::metadata(&self.partial).map_or(0, |metadata| metadata.len());
        let (sender, news) = sync_channel(4);
        let (address, patience) = (self.address.to_string(), self.patience);
        // It ends with the answer, or when nobody listens any more.
        std::thread::spawn(move || ask(&address, have, patience, &sender));
        let News::Head(head) = self.next(&news)? else { return Err(nothing()) };
        let [start, all] = head.range;
        match head.status {
            206 if start == Some(have) => self.save(&head, &news, have),
            // A server that knows no ranges sends everything again.
            200 => self.save(&head, &news, 0),
            // Nothing is missing, or the file has changed: the checksum will tell which.
            416 if all == Some(have) => Ok(()),
            206 | 416 => {
                self.forget()?;
                Err(Trouble::Broken("the file changed on the server".into()))
            }
            status @ (429 | 500..=599) => Err(Trouble::Broken(format!("the server says {status}"))),
            status => Err(Trouble::Final(Error::Unable(format!(
                "{} answers {status}; get the file by hand and use `unbraid data import`",
                self.address
            )))),
        }
    }

    /// What comes next. Whoever asks to stop is heard at once.
    fn next(&self, news: &Receiver<News>) -> std::result::Result<News, Trouble> {
        let since = Instant::now();
        loop {
            match news.recv_timeout(LOOK) {
                Ok(News::Failed(reason, true)) => return Err(Trouble::Broken(reason)),
                Ok(News::Failed(reason, false)) => {
                    return Err(Trouble::Final(Error::Unable(format!(
                        "{} cannot be reached ({reason}); is there a connection?",
                        self.address
                    ))));
                }
                Ok(other) => return Ok(other),
                Err(RecvTimeoutError::Timeout) if since.elapsed() < self.patience => {
                    self.watch.advance(0.0)?;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.patience.as_secs();
                    let reason = format!("the server said nothing for {seconds} seconds");
                    return Err(Trouble::Broken(reason));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(nothing()),
            }
        }
    }

    fn unwritable(&self, source: &std::io::Error) -> Trouble {
        unbraid_measure::Error::io("write", &self.partial, source).into()
    }

    /// Begin anew with the next attempt.
    fn forget(&self) -> std::result::Result<(), Trouble> {
        fs::remove_file(&self.partial).map_err(|source| self.unwritable(&source))
    }

    /// Append to the `have` bytes that are there.
    fn save(
        &mut self,
        head: &Head,
        news: &Receiver<News>,
        have: u64,
    ) -> std::result::Result<(), Trouble> {
        let whole = head.length.map(|length| have.saturating_add(length));
        if whole.is_some_and(|whole| whole > self.most) {
            return Err(self.too_long());
        }
        let mut options = File::options();
        match have {
            0 => options.write(true).create(true).truncate(true),
            _ => options.append(true),
        };
        let mut file = options.open(&self.partial).map_err(|source| self.unwritable(&source))?;
        let mut done = have;
        while let News::Body(chunk) = self.next(news)? {
            done += chunk.len() as u64;
            if done > self.most {
                // What is there is not the file, and would be gone on with.
                self.forget()?;
                return Err(self.too_long());
            }
            file.write_all(&chunk).map_err(|source| self.unwritable(&source))?;
            // Where the server does not say its length, the longest it may have is what is known.
            let reached = self.share * (done as f64 / whole.unwrap_or(self.most) as f64).min(1.0);
            let step = (reached - self.told).max(0.0);
            self.told += step;
            self.watch.advance(step)?;
        }
        if whole.is_some_and(|whole| done < whole) {
            return Err(Trouble::Broken("the connection was closed".into()));
        }
        file.sync_all().map_err(|source| self.unwritable(&source))
    }

    fn too_long(&self) -> Trouble {
        Trouble::Final(Error::Unable(format!(
            "{} sends more than the {} bytes that the file has at most, so it is another file; get the right one by hand \
             and use `unbraid data import`",
            self.address, self.most
        )))
    }
}

fn nothing() -> Trouble {
    Trouble::Broken("the connection was closed".into())
}

/// Ask for a file from byte `have` on, and pass on what comes for as long as somebody listens.
fn ask(address: &str, have: u64, patience: Duration, listener: &SyncSender<News>) {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(patience))
        .timeout_recv_response(Some(patience))
        .timeout_recv_body(None)
        .build()
        .into();
    let mut request = agent.get(address);
    if have > 0 {
        request = request.header("Range", format!("bytes={have}-"));
    }
    let failed = |error: ureq::Error| {
        let again = matches!(error, ureq::Error::Io(_) | ureq::Error::Timeout(_));
        let _ = listener.send(News::Failed(error.to_string(), again));
    };
    let response = match request.call() {
        Ok(response) => response,
        Err(error) => return failed(error),
    };
    let mut listening = listener.send(News::Head(Head::of(&response))).is_ok();
    let mut reader = response.into_body().into_reader();
    while listening {
        let mut chunk = vec![0; CHUNK];
        let news = match reader.read(&mut chunk) {
            Ok(0) => News::End,
            Ok(count) => {
                chunk.truncate(count);
                News::Body(chunk)
            }
            Err(error) => News::Failed(error.to_string(), true),
        };
        let more = matches!(news, News::Body(_));
        listening = listener.send(news).is_ok() && more;
    }
}

fn header<'r>(response: &'r Response<ureq::Body>, name: &str) -> Option<&'r str> {
    response.headers().get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests;
