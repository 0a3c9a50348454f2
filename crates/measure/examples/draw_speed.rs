//! How many observations per second each drawn data set gives, on one thread and on all.
//!
//! `cargo run --release -p unbraid-measure --example draw_speed -- shapes3d flow`; without names
//! every data set that opens without settings.
#![allow(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use toml::Table;
use unbraid_measure::data::{DATASETS, Dataset};
use unbraid_measure::{Result, data, rng::Rng};

fn main() -> Result<()> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let given = !names.is_empty();
    if !given {
        names = DATASETS.iter().map(|source| source.info.name.to_string()).collect();
    }
    let threads = rayon::current_num_threads();
    println!(
        "{:18} {:>9} {:>9} {:>9}  rows/s",
        "",
        "first",
        "1 thread",
        format!("{threads} threads")
    );
    for name in names {
        let data = match (data::find(&name)?.open)(&Table::new()) {
            Ok((data, _)) => data,
            // It needs a file of the user.
            Err(_) if !given => continue,
            Err(error) => return Err(error),
        };
        let [first, alone, together] = speeds(&*data);
        println!("{name:18} {first:>9.0} {alone:>9.0} {together:>9.0}  {}", data.shape());
    }
    Ok(())
}

/// Rows per second of the first 4,096 rows, which may prepare what later ones share, and after
/// them on one thread and on all. Rows are at random, as in training.
fn speeds(data: &dyn Dataset) -> [f64; 3] {
    let mut rng = Rng::new(0);
    let rows: Vec<usize> = (0..4096).map(|_| rng.below(data.len())).collect();
    let size = data.shape().size();
    let mut image = vec![0.0; size];
    let mut alone = || {
        for &row in &rows {
            data.observe(black_box(row), &mut image);
            black_box(&image);
        }
    };
    let start = Instant::now();
    alone();
    let first = rows.len() as f64 / start.elapsed().as_secs_f64();
    let together = || {
        rows.par_iter().for_each_init(
            || vec![0.0; size],
            |image, &row| {
                data.observe(black_box(row), image);
                black_box(&image);
            },
        );
    };
    [first, repeated(&mut alone, rows.len()), repeated(together, rows.len())]
}

/// Rows per second of two seconds of this.
fn repeated(mut pass: impl FnMut(), rows: usize) -> f64 {
    let (mut drawn, start) = (0, Instant::now());
    while start.elapsed() < Duration::from_secs(2) {
        pass();
        drawn += rows;
    }
    drawn as f64 / start.elapsed().as_secs_f64()
}
