//! How long a training step and an encoding take: the numbers the speed work is judged by.

use std::time::Instant;

use ndarray::Array2;
use toml::Table;
use unbraid_measure::data::{Draw, Range, Shape, Supervision, Window};
use unbraid_measure::rng::Rng;

use crate::compute::workers::on_workers;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::entry::Entry;
use crate::model::learner::Learner;
use crate::model::{Columns, Grid, Step, Task};
use crate::models;

/// Beyond these a typing error is more likely than a wish.
const MOST_STEPS: usize = 1_000_000;
const MOST_NUMBERS: usize = 1 << 28;
/// How many codes a base has.
const CODES: usize = 16;
/// What random labels, targets and actions have per example.
const LABEL_SIZE: usize = 4;

/// What is timed: a model on random images held in memory, so that only the model is measured.
pub struct Workload<'a> {
    /// The model.
    pub entry: &'a Entry,
    /// Its settings, as in `[model]`.
    pub settings: Table,
    /// The form of an image.
    pub shape: Shape,
    /// Images at once.
    pub batch: usize,
    /// How many times.
    pub repeats: usize,
}

/// What a benchmark measured.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The median.
    pub milliseconds: f64,
    /// The quickest.
    pub best_milliseconds: f64,
}

impl Workload<'_> {
    /// The time of a training step.
    pub fn step(&self) -> Result<Time> {
        let (mut learner, draw) = self.prepare()?;
        let rng = Rng::new(0);
        Ok(self.time(|number| {
            learner.step(&draw, Step::new(number as u64, 0, &rng), 1e-4);
        }))
    }

    /// The time of encoding a batch.
    pub fn encode(&self) -> Result<Time> {
        let (learner, mut draw) = self.prepare()?;
        let table = |numbers: Vec<f32>| {
            let shape = (self.batch, numbers.len() / self.batch.max(1));
            Array2::from_shape_vec(shape, numbers).expect("a row per image")
        };
        let labels = (!draw.labels.is_empty()).then(|| table(draw.labels));
        let seen = Seen { observations: table(draw.views.swap_remove(0)), labels };
        Ok(self.time(move |_| {
            learner.encode(&seen);
        }))
    }

    fn prepare(&self) -> Result<(Box<dyn Learner>, Draw)> {
        // What stands on a base sees its codes.
        let seen = Shape { range: Range::Unit, ..self.shape };
        let grid = self.grid(&Task::observing(seen, self.batch))?;
        let codes = grid.map_or(CODES, |grid| grid.size());
        let shape = match self.entry.base {
            None => seen,
            Some(_) => Shape { channels: codes, height: 1, width: 1, range: Range::Real },
        };
        let numbers = [self.batch, shape.channels, shape.height, shape.width];
        let numbers = numbers.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        if numbers.is_none_or(|numbers| numbers > MOST_NUMBERS) || self.repeats > MOST_STEPS {
            return Err(Error::Unable(format!(
                "too much to time: at most {MOST_STEPS} steps and {MOST_NUMBERS} numbers in a batch"
            )));
        }
        let (targets, action) = (Columns::first(LABEL_SIZE), LABEL_SIZE);
        let task = Task::observing(shape, self.batch);
        let task = Task { label: LABEL_SIZE, targets, action, named: true, grid, ..task };
        let rng = Rng::new(0);
        let method = (self.entry.configure)(&self.settings, &task)?;
        let learner = method.build(&task, &rng.split("weights"));
        Ok((learner, self.draw(method.supervision(), shape, &mut rng.split("pixels"))))
    }

    /// The grid of codes that a quantised base makes of an observation.
    fn grid(&self, task: &Task) -> Result<Option<Grid>> {
        let Some(base) = self.entry.base else { return Ok(None) };
        Ok((models::find(base)?.configure)(&Table::new(), task)?.grid(task))
    }

    /// Random numbers in the form of the model's supervision.
    fn draw(&self, supervision: Supervision, shape: Shape, rng: &mut Rng) -> Draw {
        let mut random =
            |count: usize| (0..count).map(|_| rng.uniform() as f32).collect::<Vec<_>>();
        let (views, labels, targets, actions) = match supervision {
            Supervision::None => (1, 0, 0, 0),
            Supervision::Labels => (1, LABEL_SIZE, 0, 0),
            Supervision::SomeLabels(_) => (2, LABEL_SIZE, 0, 0),
            Supervision::Pairs(_) => (2, 0, LABEL_SIZE, 0),
            Supervision::OneFactor(_) => (1, 0, LABEL_SIZE, 0),
            Supervision::Time(Window { frames }) => (frames, 0, 0, 0),
            Supervision::Targets(Window { frames }) => (frames, 0, LABEL_SIZE * (frames - 1), 0),
            Supervision::Actions(Window { frames }) => (frames, 0, 0, LABEL_SIZE * (frames - 1)),
        };
        Draw {
            count: self.batch,
            rows: vec![],
            views: (0..views).map(|_| random(self.batch * shape.size())).collect(),
            labels: random(self.batch * labels),
            targets: random(self.batch * targets).into_iter().map(f32::round).collect(),
            actions: random(self.batch * actions),
        }
    }

    fn time(&self, f: impl FnMut(usize) + Send) -> Time {
        on_workers(|| self.time_here(f))
    }

    fn time_here(&self, mut f: impl FnMut(usize)) -> Time {
        let warm_up = 3;
        let mut times = Vec::with_capacity(self.repeats);
        for number in 0..warm_up + self.repeats {
            let start = Instant::now();
            f(number);
            if number >= warm_up {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        Time { milliseconds: times[times.len() / 2], best_milliseconds: times[0] }
    }
}

/// The most memory this process has held, in megabytes; 0 where the system does not say.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
