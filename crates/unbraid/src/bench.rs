//! How long a training step takes: the number the speed work is judged by.

use std::time::Instant;

use unbraid_measure::data::{Draw, Range, Shape};
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::learner::Entry;
use crate::model::{Step, Task};

/// Beyond these a typing error is more likely than a wish.
const MOST_STEPS: usize = 1_000_000;
const MOST_NUMBERS: usize = 1 << 28;

/// What a benchmark measured.
#[derive(Clone, Copy, Debug)]
pub struct StepTime {
    /// The median over all timed steps.
    pub milliseconds: f64,
    /// The quickest.
    pub best_milliseconds: f64,
    /// How many steps were timed.
    pub steps: usize,
}

/// Time training steps on random images held in memory, so that only the model is measured.
pub fn step(entry: &Entry, shape: Shape, batch: usize, steps: usize) -> Result<StepTime> {
    let shape = Shape { range: Range::Unit, ..shape };
    let numbers = [batch, shape.channels, shape.height, shape.width];
    let numbers = numbers.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    if numbers.is_none_or(|numbers| numbers > MOST_NUMBERS) || steps > MOST_STEPS {
        return Err(Error::Unable(format!(
            "too much to time: at most {MOST_STEPS} steps and {MOST_NUMBERS} numbers in a batch"
        )));
    }
    let task = Task { shape, rows: batch };
    let rng = Rng::new(0);
    let settings = (entry.resolve)(&toml::Table::new(), &task)?;
    let mut learner = (entry.build)(&settings, &task, &rng.split("weights"))?;
    let mut pixels = rng.split("pixels");
    let view = (0..batch * shape.size()).map(|_| pixels.uniform() as f32).collect();
    let draw = Draw { count: batch, views: vec![view], ..Draw::default() };
    let warm_up = 3;
    let mut times = Vec::with_capacity(steps);
    for number in 0..warm_up + steps {
        let start = Instant::now();
        learner.step(&draw, Step::new(number as u64, 0, &rng), 1e-4);
        if number >= warm_up {
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(StepTime { milliseconds: times[times.len() / 2], best_milliseconds: times[0], steps })
}

/// The most memory this process has held, in megabytes; 0 where the system does not say.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
