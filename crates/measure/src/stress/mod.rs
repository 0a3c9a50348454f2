//! The stress grid: metrics on codes of which it is known what they are (after Joshi et al., "Who Guards the Guardians?",
//! UAI 2026). For each law of the factors, encoder and number of rows every metric is asked, and its answer held against
//! what is true.
//!
//! ```text
//! misses        what the metric asks for is there, and it says less than 0.8
//! is fooled     it is not there, and it says 0.8 or more
//! false alarm   there is nothing there, and it says more than 0.2
//! ```
//!
//! all on the scale of the metric's own range, 0 the worst end and 1 the best.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::metrics::{self, Asks, Better, METRICS, Metric, Needs};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::mean;
use crate::watch::Stage;

mod encoders;
mod laws;
mod published;

pub use encoders::Encoder;
pub use laws::Law;
pub use published::published;

/// What a metric should say where all that it asks for is there.
const HIGH: f64 = 0.8;
/// The most that it may say of noise.
const LOW: f64 = 0.2;

/// What is tried.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The laws of the factors.
    pub laws: Vec<Law>,
    /// The encoders.
    pub encoders: Vec<Encoder>,
    /// How many rows are scored.
    pub sizes: Vec<usize>,
    /// How many factors there are.
    pub factors: usize,
    /// How many tables of each kind are drawn.
    pub tables: u64,
    /// The seed of the draws.
    pub seed: u64,
    /// The metrics.
    pub metrics: Vec<&'static dyn Metric>,
}

impl Default for Grid {
    /// The sizes of the published grid: 1,000 rows, and the 200 that it scored.
    fn default() -> Self {
        Self {
            laws: Law::ALL.to_vec(),
            encoders: Encoder::ALL.to_vec(),
            sizes: vec![200, 1000],
            factors: 5,
            tables: 2,
            seed: 0,
            metrics: METRICS.iter().copied().filter(|metric| is_tried(*metric)).collect(),
        }
    }
}

/// Whether a metric has an answer to hold against the truth: it asks for something, of codes and factors.
pub fn is_tried(metric: &dyn Metric) -> bool {
    matches!(metric.needs(), Needs::Factors | Needs::Split) && !metric.asks().is_empty()
}

/// What a metric said of one kind of table.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The law of the factors.
    pub law: Law,
    /// The encoder.
    pub encoder: Encoder,
    /// How many rows were scored.
    pub rows: usize,
    /// The metric.
    pub metric: &'static dyn Metric,
    /// The mean of its values.
    pub value: Option<f64>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// How an answer is to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Right,
    /// Low, though what is asked for is there.
    Misses,
    /// High, though it is not.
    Fooled,
    /// More than nothing, of noise.
    FalseAlarm,
    /// No answer.
    Refuses,
}

impl Verdict {
    /// In words.
    pub fn word(self) -> &'static str {
        ["right", "misses", "is fooled", "false alarm", "refuses"][self as usize]
    }
}

/// Whether all that a metric asks for is true of an encoder.
pub fn is_there(metric: &dyn Metric, encoder: Encoder) -> bool {
    metric.asks().iter().all(|asked: &Asks| encoder.truth().contains(asked))
}

impl Cell {
    /// The value on the scale from 0, the worst, to 1, the best.
    pub fn share(&self) -> Option<f64> {
        let reading = self.metric.reading();
        let share = (self.value? - reading.low) / (reading.high - reading.low);
        Some(if reading.better == Better::Higher { share } else { 1.0 - share })
    }

    /// Held against the truth.
    pub fn verdict(&self) -> Verdict {
        let there = is_there(self.metric, self.encoder);
        match self.share() {
            None => Verdict::Refuses,
            Some(share) if there && share < HIGH => Verdict::Misses,
            Some(share) if self.encoder.is_noise() && share > LOW => Verdict::FalseAlarm,
            Some(share) if !there && share >= HIGH => Verdict::Fooled,
            Some(_) => Verdict::Right,
        }
    }
}

impl Grid {
    /// Refuse what has no meaning.
    pub fn check(&self) -> Result<()> {
        let refuse = |name: &str, reason: &str| Err(Error::setting(name, reason.to_string()));
        if let Some(law) = self.laws.iter().find(|law| law.fewest() > self.factors) {
            let reason = format!("must be at least {} for {}", law.fewest(), law.code());
            return refuse("factors", &reason);
        }
        if self.factors > 50 {
            return refuse("factors", "must be at most 50");
        }
        if self.sizes.iter().any(|rows| !(20..=100_000).contains(rows)) {
            return refuse("rows", "must be from 20 to 100000");
        }
        if let Some(metric) = self.metrics.iter().find(|metric| !is_tried(**metric)) {
            let name = metric.info().name;
            return refuse(
                "metrics",
                &format!("has {name}, which asks nothing of codes and factors"),
            );
        }
        Ok(())
    }

    /// A table of the grid; the same for the same number, whatever else is tried.
    pub fn table(
        &self,
        law: Law,
        encoder: Encoder,
        rows: usize,
        number: u64,
    ) -> Representation<'static> {
        let rng = Rng::new(self.seed).split(law.code()).split(encoder.code()).at(number);
        let values = law.draw(rows, self.factors, &rng);
        let codes = encoder.encode(&values, &rng);
        let factors =
            (0..self.factors).map(|k| Factor::continuous(format!("factor-{k}"))).collect();
        Representation::new(codes, values, factors).expect("finite numbers in equal rows")
    }

    /// Every cell, in the order of metrics, laws, encoders and sizes.
    pub fn run(&self, watch: &Stage) -> Result<Vec<Cell>> {
        self.check()?;
        let mut kinds = Vec::new();
        for &law in &self.laws {
            for &encoder in &self.encoders {
                kinds.extend(self.sizes.iter().map(|&rows| (law, encoder, rows)));
            }
        }
        let share = 1.0 / (kinds.len() as f64 * self.tables as f64);
        let of_kind = |&(law, encoder, rows): &(Law, Encoder, usize)| -> Result<Vec<Cell>> {
            let mut said = vec![Vec::new(); self.metrics.len()];
            for number in 0..self.tables {
                let table = self.table(law, encoder, rows, number);
                for (answers, metric) in said.iter_mut().zip(&self.metrics) {
                    answers.push(answer(*metric, &table, self.seed, watch)?);
                }
                watch.advance(share)?;
            }
            let cell = |(answers, metric): (Vec<Answer>, &&'static dyn Metric)| {
                let values: Vec<f64> =
                    answers.iter().filter_map(|a| a.as_ref().ok()).copied().collect();
                let reason = answers.into_iter().find_map(std::result::Result::err);
                let value = (!values.is_empty()).then(|| mean(values));
                Cell { law, encoder, rows, metric: *metric, value, reason }
            };
            Ok(said.into_iter().zip(&self.metrics).map(cell).collect())
        };
        let cells: Vec<Vec<Cell>> = kinds.par_iter().map(of_kind).collect::<Result<_>>()?;
        let of_metric = |m: usize| cells.iter().map(move |cells| cells[m].clone());
        Ok((0..self.metrics.len()).flat_map(of_metric).collect())
    }
}

/// A value, or the reason why there is none.
type Answer = std::result::Result<f64, String>;

fn answer(metric: &dyn Metric, table: &Representation, seed: u64, watch: &Stage) -> Result<Answer> {
    let mut rng = Rng::new(seed).split("metrics").split(metric.info().name);
    watch.advance(0.0)?;
    match metrics::judge(metric, table, &mut rng, &Stage::unwatched()) {
        Ok(score) => Ok(Ok(score.value)),
        Err(Error::Stopped) => Err(Error::Stopped),
        Err(reason) => Ok(Err(reason.to_string())),
    }
}

#[cfg(test)]
mod tests;
