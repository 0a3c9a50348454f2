//! Every input of the corpus of `cargo xtask fuzz`, and small changes of it: refused with a sentence or read, never a panic, and
//! never for seconds.

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;
use std::time::Instant;

use targets::{TARGETS, Target};
use unbraid::rng::Rng;

/// Changed copies of each input.
const CHANGES: u64 = 4;
/// In seconds, of a machine that does other things too; fuzzing itself allows ten.
const SLOWEST: f64 = 30.0;

fn inputs(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|_| panic!("no corpus for `{}`", target.name));
    let mut found: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into(), fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

/// A byte changed, bytes cut off, or a number made extreme.
fn changed(bytes: &[u8], mut rng: Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let place = rng.below(bytes.len());
    match rng.below(3) {
        0 => bytes[place] = rng.below(256) as u8,
        1 => bytes.truncate(place),
        _ => bytes[place..].iter_mut().take(4).for_each(|byte| *byte = 255),
    }
    bytes
}

#[test]
fn every_input_of_the_corpus_is_read_or_refused() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut failures = Vec::new();
    for target in TARGETS {
        let inputs = inputs(target);
        assert!(!inputs.is_empty(), "no corpus for `{}`", target.name);
        for (name, bytes) in inputs {
            let copies = (0..CHANGES).map(|number| {
                let rng = Rng::new(number).split(&name);
                (format!("{name} changed by {number}"), changed(&bytes, rng))
            });
            for (name, bytes) in std::iter::once((name.clone(), bytes.clone())).chain(copies) {
                let start = Instant::now();
                if let Err(panic) = targets::run(target, &bytes) {
                    failures.push(format!("{}/{name}: {panic}", target.name));
                }
                let seconds = start.elapsed().as_secs_f64();
                if seconds > SLOWEST {
                    failures.push(format!("{}/{name} took {seconds:.0} s", target.name));
                }
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
