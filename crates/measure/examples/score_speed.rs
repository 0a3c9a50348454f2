//! How long each metric takes on a table of random codes and factors, and the most memory that was
//! in use until then.
//!
//! `cargo run --release -p unbraid-measure --example score_speed -- 1000000 mig irs mcc`
#![allow(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::time::Instant;

use ndarray::Array2;
use unbraid_measure::factors::Factor;
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Stage;
use unbraid_measure::{Result, metrics, scoring};

/// The sizes of dSprites.
const SIZES: [usize; 5] = [3, 6, 40, 32, 32];
const CODES: usize = 10;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments.next().and_then(|rows| rows.parse().ok()).unwrap_or(10_000);
    let names: Vec<String> = arguments.collect();
    let table = table(rows)?;
    println!("{rows} rows, {CODES} codes, {} factors: {} MB in use", SIZES.len(), peak_megabytes());
    for metric in scoring::metrics_named(&names)? {
        let start = Instant::now();
        let score = metrics::judge(metric, &table, &mut Rng::new(0), &Stage::unwatched());
        let (name, seconds) = (metric.info().name, start.elapsed().as_secs_f64());
        let value = score.map_or_else(|error| error.to_string(), |score| score.value.to_string());
        println!("{name:20} {seconds:>9.4} s {:>6} MB  {value}", peak_megabytes());
    }
    Ok(())
}

/// Factors at random; codes that hold one factor each, more or less, and noise.
fn table(rows: usize) -> Result<Representation<'static>> {
    let mut rng = Rng::new(0);
    let values = Array2::from_shape_fn((rows, SIZES.len()), |(_, k)| rng.below(SIZES[k]) as f32);
    let codes = Array2::from_shape_fn((rows, CODES), |(row, j)| {
        let k = j % SIZES.len();
        values[[row, k]] / SIZES[k] as f32 + 0.1 * (j + 1) as f32 * rng.normal()
    });
    let factor = |(k, &size): (usize, &usize)| {
        Factor::discrete(format!("factor-{k}"), (0..size).map(|value| value as f32))
    };
    Representation::new(codes, values, SIZES.iter().enumerate().map(factor).collect())
}

/// The largest memory of this process so far, where the system tells (Linux).
fn peak_megabytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or(0_usize) / 1024
}
