//! Every command that can take long ends soon after the first SIGINT or SIGTERM: training with a checkpoint, and the others with nothing
//! half done.

mod program;

#[cfg(unix)]
mod signals {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::program::{succeed, word};

    /// Two seconds on a machine that does nothing else; tests run beside others.
    const SOON: Duration = Duration::from_secs(15);
    /// Into the first phase of each, and into the next.
    const AFTER: [Duration; 2] = [Duration::from_millis(120), Duration::from_millis(900)];

    /// Commands on a run of dSprites (`run`) that would take from seconds to hours.
    #[rustfmt::skip]
    const COMMANDS: &[&[&str]] = &[
        &["train", "--model", "beta-vae", "--data", "dsprites", "--out", "new"],
        &["train", "--model", "ivae", "--data", "mixing", "--out", "new"],
        &["train", "--model", "tcl", "--data", "mixing", "--out", "new"],
        &["train", "--model", "segment-flow", "--data", "mixing", "--out", "new"],
        &["train", "--model", "citris-vae", "--data", "pong", "--out", "new"],
        &["encode", "run", "--out", "codes.npz"],
        &["score", "run", "--metrics", "all", "--bootstrap", "1000"],
        &["score", "run", "--metrics", "r2,mcc", "--null", "5000", "--doctor"],
        &["evaluate", "run"],
        &["report", "run"],
        &["rotate", "run", "--out", "new"],
        &["demo", "--out", "new"],
        &["stress", "--out", "new"],
        &["data", "make", "voronoi", "--out", "made.npz"],
        &["reproduce", "beta-vae-metric", "--out", "new"],
        &["bench", "step", "--model", "beta-vae"],
    ];

    fn started(arguments: &[&str], at: &Path) -> std::process::Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unbraid"));
        command.args(arguments).current_dir(at).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("unbraid can be started")
    }

    fn ignores_interrupts() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & 2 != 0)
    }

    #[test]
    fn every_long_command_ends_soon_after_a_signal() {
        // A shell starts what runs behind it with SIGINT ignored, and so would be what we start.
        let signals = if ignores_interrupts() { ["TERM", "TERM"] } else { ["INT", "TERM"] };
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("run");
        #[rustfmt::skip]
        succeed(&[
            "train", "--quiet", "--model", "vae", "--data", "dsprites", "--steps", "3", "--set", "model.net=fc",
            "--set", "model.width=8", "--set", "train.batch=8", "--out", word(&run),
        ]);
        for arguments in COMMANDS {
            for (after, signal) in AFTER.into_iter().zip(signals) {
                let mut running = started(arguments, place.path());
                std::thread::sleep(after);
                let pid = running.id().to_string();
                // One that has ended already needs no signal.
                let _ =
                    Command::new("kill").args(["-s", signal, &pid]).stderr(Stdio::null()).status();
                let told = Instant::now();
                while running.try_wait().unwrap().is_none() {
                    if told.elapsed() > SOON {
                        running.kill().unwrap();
                        panic!("{arguments:?} goes on {SOON:?} after SIG{signal}");
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                for made in ["new", "codes.npz", "made.npz"].map(|name| place.path().join(name)) {
                    if made.is_dir() {
                        std::fs::remove_dir_all(&made).unwrap();
                    } else if made.exists() {
                        std::fs::remove_file(&made).unwrap();
                    }
                }
            }
        }
    }
}
