//! How many observations per second each drawn data set gives, on one thread.
//!
//! `cargo run --release -p unbraid-measure --example draw_speed`
#![allow(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use toml::Table;
use unbraid_measure::{Result, data, rng::Rng};

fn main() -> Result<()> {
    for name in ["squares", "dsprites", "pendulum"] {
        let (data, _) = (data::find(name)?.open)(&Table::new())?;
        let mut image = vec![0.0; data.shape().size()];
        // Rows at random, as in training.
        let mut rng = Rng::new(0);
        let rows: Vec<usize> = (0..4096).map(|_| rng.below(data.len())).collect();
        let (mut drawn, start) = (0_u32, Instant::now());
        while start.elapsed() < Duration::from_secs(2) {
            for &row in &rows {
                data.observe(black_box(row), &mut image);
                black_box(&image);
            }
            drawn += rows.len() as u32;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{name:10} {:>9.0} rows/s  ({})", f64::from(drawn) / seconds, data.shape());
    }
    Ok(())
}
