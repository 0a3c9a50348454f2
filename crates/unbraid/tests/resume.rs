//! A run that was killed at any moment and resumed ends with the same bytes as one that was not.

mod program;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::{refuse, succeed, unbraid, unsealed, word};

/// The default network, and a checkpoint every third step, so that kills also hit the writing.
#[rustfmt::skip]
const TRAIN: &[&str] = &[
    "train", "--quiet", "--model", "beta-vae", "--data", "squares", "--steps", "90",
    "--set", "model.latents=3", "--set", "model.width=32", "--set", "train.batch=16",
    "--set", "train.checkpoint_every=3", "--set", "train.log_every=2",
    "--set", "train.threads=2", "--out",
];

fn train(directory: &Path) -> Command {
    let mut command = unbraid();
    command.args(TRAIN).arg(directory).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn result(directory: &Path) -> (Vec<u8>, String) {
    let mut weights = std::fs::read(directory.join("model.safetensors")).expect("a model");
    // With the optimiser's moments.
    let checkpoint = directory.join("resume/checkpoint.safetensors");
    weights.extend(std::fs::read(checkpoint).expect("a checkpoint"));
    (weights, std::fs::read_to_string(directory.join("log.jsonl")).expect("a log"))
}

/// The reference, and how long it took.
fn uninterrupted(directory: &Path) -> ((Vec<u8>, String), Duration) {
    let start = Instant::now();
    assert!(train(directory).status().expect("it starts").success());
    (result(directory), start.elapsed())
}

#[test]
fn killed_at_random_moments_it_ends_as_if_nothing_had_happened() {
    let directory = tempfile::tempdir().unwrap();
    let (expected, time) = uninterrupted(&directory.path().join("whole"));
    let broken = directory.path().join("broken");
    // Seeded by the clock on purpose: every test run tries other moments.
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut rng = unbraid::rng::Rng::new(clock.subsec_nanos().into());
    let mut kills = 0;
    // `--resume` also starts a run that is not there yet, so one command serves every attempt.
    while kills < 12 {
        let mut child = train(&broken).arg("--resume").spawn().expect("it starts");
        // Short enough that it takes many kills to get through, on a machine of any mood.
        if finished_before(&mut child, time.mul_f64(rng.uniform() * 0.2)) {
            break;
        }
        kills += 1;
    }
    let last = train(&broken).arg("--resume").status().expect("it starts");
    assert!(last.success());
    assert!(kills >= 3, "only {kills} kills; the test shows nothing");
    let (weights, log) = result(&broken);
    assert_eq!(log, expected.1, "the logs differ after {kills} kills");
    assert!(weights == expected.0, "the weights differ after {kills} kills");
    for place in [broken.clone(), broken.join("resume")] {
        let litter = std::fs::read_dir(place)
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let litter: Vec<String> = litter.filter(|name| name.contains(".tmp-")).collect();
        assert!(litter.is_empty(), "a killed process left {litter:?}");
    }
}

/// Wait for the end, or kill with SIGKILL when the time is over.
fn finished_before(child: &mut Child, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    while Instant::now() < deadline {
        if child.try_wait().expect("it can be watched").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().expect("SIGKILL is sent");
    child.wait().expect("it is gone");
    false
}

#[test]
fn a_signal_leaves_a_checkpoint_and_its_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let (expected, time) = uninterrupted(&directory.path().join("whole"));
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let out = directory.path().join(signal);
        let mut child = train(&out).spawn().expect("it starts");
        let checkpoint = out.join("resume/checkpoint.safetensors");
        let deadline = Instant::now() + 20 * time;
        while !checkpoint.is_file() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(code));
        succeed(&["train", "--quiet", "--resume", "--out", word(&out)]);
        assert!(result(&out) == expected, "{signal}: not the same after resuming");
    }
}

#[test]
fn a_finished_run_is_left_alone_and_a_changed_setting_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let (expected, _) = uninterrupted(&out);
    succeed(&["train", "--quiet", "--resume", "--out", word(&out)]);
    assert!(result(&out) == expected);
    let changed = [TRAIN, &[word(&out), "--resume", "--set", "model.beta=9"]].concat();
    refuse(&changed, "was started with another `model.beta`");
    let words = ["train", "--resume", "--out", word(&out)];
    refuse(&[&words[..], &["--model", "vae"]].concat(), "was started with another `model.name`");
    refuse(&[&words[..], &["--data", "dsprites"]].concat(), "was started with another `data.name`");
    refuse(&["demo", "--out", word(&out)], "holds a run that is not the demo's");
    let again = [TRAIN, &[word(&out)]].concat();
    refuse(&again, "already holds a run; go on with --resume, or choose another --out");
}

#[test]
fn under_adagrad_too_a_stopped_run_ends_with_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| directory.path().join(name));
    let adagrad = ["--set", "train.optimizer=adagrad", "--set", "train.learning_rate=0.01"];
    succeed(&[TRAIN, &[word(&whole)], &adagrad].concat());
    let mut child = train(&stopped).args(adagrad).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_mins(1);
    while !stopped.join("resume/checkpoint.safetensors").is_file() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("SIGKILL is sent");
    child.wait().expect("it is gone");
    let again = ["train", "--quiet", "--resume", "--out", word(&stopped)];
    refuse(&[&again[..], &["--set", "train.optimizer=adam"]].concat(), "another `train.optimizer`");
    succeed(&again);
    assert!(result(&stopped) == result(&whole));
}

#[test]
fn a_run_of_an_earlier_version_is_resumed_under_either_name_of_its_settings() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let (expected, _) = uninterrupted(&out);
    // As it was written before settings of supervision belonged to models, and before Adagrad.
    let file = out.join("run.toml");
    let mut text = unsealed(&std::fs::read_to_string(&file).unwrap());
    for later in ["labelled = 1000\n", "optimizer = \"adam\"\n"] {
        assert!(text.contains(later), "{text}");
        text = text.replace(later, "");
    }
    let earlier = "rate = 0.0005\nchanged = 1\npairs = \"exact\"\nlabelled = 1000\nordinary = 1\n";
    assert!(text.contains("learning_rate = 0.0005\n"), "{text}");
    std::fs::write(&file, text.replace("learning_rate = 0.0005\n", earlier)).unwrap();
    for set in ["train.rate=5e-4", "train.learning_rate=5e-4", "train.labelled=1000"] {
        succeed(&[TRAIN, &[word(&out), "--resume", "--set", set]].concat());
    }
    assert!(result(&out) == expected);
    for (set, key) in [
        ("train.rate=1e-3", "train.learning_rate"),
        ("train.labelled=7", "model.labelled"),
        ("model.labelled=7", "model.labelled"),
    ] {
        let other = [TRAIN, &[word(&out), "--resume", "--set", set]].concat();
        refuse(&other, &format!("was started with another `{key}`"));
    }
}
