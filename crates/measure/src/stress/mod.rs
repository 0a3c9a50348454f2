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

use crate::doctor::{self, Look};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::metrics::{self, METRICS, Metric, Needs};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::mean;
use crate::watch::Stage;

mod encoders;
mod laws;
mod published;

pub use crate::doctor::Verdict;
pub use encoders::Encoder;
pub use laws::Law;
pub use published::published;

/// A law, an encoder and a number of rows.
type Kind = (Law, Encoder, usize);

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
    /// What the doctor thought of each value.
    pub opinions: Opinions,
}

/// How many values of a cell were right or wrong, and believed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opinions {
    /// Right, and believed.
    pub right_believed: usize,
    /// Right, and not believed.
    pub right_doubted: usize,
    /// Not as they should be, and believed.
    pub wrong_believed: usize,
    /// Not as they should be, and not believed.
    pub wrong_doubted: usize,
}

impl Opinions {
    /// One more.
    fn add(&mut self, right: bool, believed: bool) {
        *match (right, believed) {
            (true, true) => &mut self.right_believed,
            (true, false) => &mut self.right_doubted,
            (false, true) => &mut self.wrong_believed,
            (false, false) => &mut self.wrong_doubted,
        } += 1;
    }

    /// The sum of many.
    pub fn sum<'o>(all: impl IntoIterator<Item = &'o Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            right_believed: sum.right_believed + one.right_believed,
            right_doubted: sum.right_doubted + one.right_doubted,
            wrong_believed: sum.wrong_believed + one.wrong_believed,
            wrong_doubted: sum.wrong_doubted + one.wrong_doubted,
        })
    }

    /// The share of opinions that are right; nothing where there are none.
    pub fn share(&self) -> Option<f64> {
        let right = self.right_believed + self.wrong_doubted;
        let all = right + self.right_doubted + self.wrong_believed;
        (all > 0).then(|| right as f64 / all as f64)
    }
}

impl Cell {
    /// The value on the scale from 0, the worst, to 1, the best.
    pub fn share(&self) -> Option<f64> {
        doctor::share(self.value?, &self.metric.reading())
    }

    /// Held against the truth.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.share(), self.metric.asks(), self.encoder.truth(), self.encoder.is_noise())
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
        let of_kind = |&kind: &Kind| self.cells(kind, share, watch);
        let cells: Vec<Vec<Cell>> = kinds.par_iter().map(of_kind).collect::<Result<_>>()?;
        let of_metric = |m: usize| cells.iter().map(move |cells| cells[m].clone());
        Ok((0..self.metrics.len()).flat_map(of_metric).collect())
    }
}

impl Grid {
    /// The cells of one kind of table, one for each metric.
    fn cells(&self, kind: Kind, share: f64, watch: &Stage) -> Result<Vec<Cell>> {
        let (law, encoder, rows) = kind;
        let empty = |metric: &&'static dyn Metric| Cell {
            law,
            encoder,
            rows,
            metric: *metric,
            value: None,
            reason: None,
            opinions: Opinions::default(),
        };
        let mut cells: Vec<Cell> = self.metrics.iter().map(empty).collect();
        let mut values = vec![Vec::new(); cells.len()];
        for number in 0..self.tables {
            let table = self.table(law, encoder, rows, number);
            let look = Look::at(&table, &Rng::new(self.seed).split("doctor"), &Stage::unwatched())?;
            for (cell, values) in cells.iter_mut().zip(&mut values) {
                match answer(cell.metric, &table, self.seed, watch)? {
                    Err(reason) => cell.reason = Some(reason),
                    Ok(value) => {
                        cell.value = Some(value);
                        if let Some(opinion) = look.opinion(cell.metric, value) {
                            cell.opinions.add(cell.verdict() == Verdict::Right, opinion.believe);
                        }
                        values.push(value);
                    }
                }
            }
            watch.advance(share)?;
        }
        for (cell, values) in cells.iter_mut().zip(values) {
            cell.value = (!values.is_empty()).then(|| mean(values));
        }
        Ok(cells)
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
