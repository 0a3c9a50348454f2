//! What checksums and the lock cost a training: `cargo run --release -p unbraid-measure --example seal_cost RUN SECONDS SAVES`,
//! with a run, the seconds that its training took, and how often it saved.

#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use unbraid_measure::files::checksum::{self, Running};
use unbraid_measure::files::lock::Lock;

/// Each is done so often.
const TIMES: u32 = 20;

fn seconds(mut act: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..TIMES).for_each(|_| act());
    start.elapsed().as_secs_f64() / f64::from(TIMES)
}

fn main() {
    let mut words = std::env::args().skip(1);
    let run = PathBuf::from(words.next().expect("a run"));
    let mut number = |what: &str| -> f64 { words.next().and_then(|w| w.parse().ok()).expect(what) };
    let (training, saves) = (number("the seconds of its training"), number("how often it saved"));
    let read = |name: &str| std::fs::read(run.join(name)).expect("a file of a finished run");
    let mut all = 0.0;
    for name in ["model.safetensors", "resume/checkpoint.safetensors"] {
        let bytes = read(name);
        let summed = seconds(|| drop(black_box(checksum::of(&bytes))));
        println!("{name}: {} bytes, {:.2} ms for each save", bytes.len(), 1e3 * summed);
        all += saves * summed;
    }
    let log = read("log.jsonl");
    let rows = seconds(|| Running::default().add(&log));
    println!("log.jsonl: {} bytes, {:.2} ms for all rows", log.len(), 1e3 * rows);
    let lock = seconds(|| drop(Lock::take(&run, "measuring").expect("nobody else is there")));
    println!("the lock: {:.3} ms", 1e3 * lock);
    all += rows + lock;
    println!("together {:.1} ms of {training} s: {:.3} %", 1e3 * all, 1e2 * all / training);
}
