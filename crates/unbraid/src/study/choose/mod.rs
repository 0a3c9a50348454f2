//! Which run of a study to use. Disentangled or not, runs look alike without labels, so one chooses by something
//! that can be had: by whether other seeds agree (UDR), by a few labels, by what was best on other data, by the
//! losses. Where the truth is known, each way of choosing is judged by it:
//!
//! ```text
//! regret = score of the best run - score of the chosen run
//! ```
//!
//! beside the regret of a run drawn at random, without which the number means nothing. The score is a supervised
//! metric as `scores.json` has it, computed with all labels; of the headline metrics DCI disentanglement if the runs
//! have it. One metric and no mean over several, so that regret has a unit that can be looked up.
//!
//! Candidates are the finished runs of methods that learn by steps: a linear baseline agrees with itself under
//! every seed.

use unbraid_measure::Error as MeasureError;
use unbraid_measure::metrics::{self, METRICS, Metric, Needs};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::{Word, words};
use unbraid_measure::watch::{Progress, Watch};

use super::file::Planned;
use super::results::{Number, Of};
use super::{Cell, Study};
use crate::error::{Error, Result};

mod answer;
mod field;
mod kept;
mod labels;
mod transfer;
mod udr;

pub use answer::{Answer, Choice, Chosen, OfData};
use field::Field;

/// The headline metrics of the study of Locatello et al. (2019), in the order in which one is taken as the truth.
const HEADLINES: [&str; 6] =
    ["dci", "mig", "factor-vae-score", "beta-vae-score", "sap", "modularity"];

/// How many labelled rows, if nothing is said.
const LABELS: [usize; 2] = [100, 1000];

/// How many rows are encoded for UDR, if nothing is said; as many as the authors took.
pub const UDR_ROWS: usize = 1000;

words! {
    /// A way to choose a run.
    pub enum By {
        /// The largest UDR: the codes that other seeds find too.
        Udr = "udr",
        /// The best value of the metric on a few labelled rows.
        Labels = "labels",
        /// The method and strength that are best on another data set, with any seed.
        Transfer = "transfer",
        /// The largest ELBO, -(reconstruction + KL).
        Elbo = "elbo",
        /// The smallest reconstruction loss.
        Reconstruction = "reconstruction",
        /// The smallest KL.
        Kl = "kl",
        /// Any run.
        Random = "random",
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The ways; all that are possible if none is named.
    pub by: Vec<By>,
    /// The supervised metric that is the truth, and by which few labels choose.
    pub metric: Option<String>,
    /// How many labelled rows; 100 and 1,000 if none are named.
    pub labels: Vec<usize>,
    /// How many rows are encoded for UDR.
    pub rows: usize,
    /// The seed of the labelled rows that are drawn, and of the seed that a transfer takes.
    pub seed: u64,
}

impl Default for Question {
    fn default() -> Self {
        Self { by: vec![], metric: None, labels: vec![], rows: UDR_ROWS, seed: 0 }
    }
}

/// Choices, or why they cannot be made here.
type Possible = std::result::Result<Vec<Choice>, String>;

impl Study {
    /// Choose a run for each data set, in each way that is asked for or possible.
    pub fn choose(&self, question: &Question, watch: &dyn Watch) -> Result<Answer> {
        let asked = question.metric.as_deref().map(supervised).transpose()?;
        let numbers = self.numbers()?;
        let metric = asked.unwrap_or_else(|| headline(&numbers));
        let mut fields = Field::all(&self.directory, &numbers, metric)?;
        if question.by.is_empty() || question.by.contains(&By::Labels) {
            self.check_labels(&fields, question)?;
        }
        let mut choices: Vec<Vec<Choice>> = vec![vec![]; fields.len()];
        for &by in By::ALL {
            if !question.by.is_empty() && !question.by.contains(&by) && by != By::Random {
                continue;
            }
            let found: Vec<Possible> = (0..fields.len())
                .map(|to| possible(self.choices(by, &fields, to, (question, metric), watch)))
                .collect::<Result<_>>()?;
            let is_possible = found.iter().any(std::result::Result::is_ok);
            for (to, found) in found.into_iter().enumerate() {
                match found {
                    Ok(found) => choices[to].extend(found),
                    Err(reason) if !is_possible && question.by.contains(&by) => {
                        return Err(Error::Unable(reason));
                    }
                    Err(reason) => fields[to].notes.push(format!("{}: {reason}", by.word())),
                }
            }
        }
        let of_data = |(field, choices): (&Field, Vec<Choice>)| field.answered(choices);
        let data = fields.iter().zip(choices).map(of_data).collect();
        Ok(Answer { metric: metric.info().name, data })
    }

    /// The choices of one way for one data set.
    fn choices(
        &self,
        by: By,
        fields: &[Field],
        to: usize,
        (question, metric): (&Question, &'static dyn Metric),
        watch: &dyn Watch,
    ) -> Result<Vec<Choice>> {
        let field = &fields[to];
        let elbo = |run: &field::Candidate| Some(-run.reconstruction? - run.kl?);
        match by {
            By::Udr => {
                let udr = self.udr_where(|run| field.has(run), question.rows, watch)?;
                field.by_one("udr", |one| udr.get(&one.run.name).copied())
            }
            By::Labels => self.by_labels(field, metric, question, watch),
            By::Transfer => {
                transfer::choices(fields, to, &Rng::new(question.seed).split("transfer"))
            }
            By::Elbo => field.by_one("elbo", elbo),
            By::Reconstruction => field
                .by_one("reconstruction", |one| one.reconstruction.map(|loss| -loss))
                .map(with_sign_of_losses),
            By::Kl => field.by_one("kl", |one| one.kl.map(|kl| -kl)).map(with_sign_of_losses),
            By::Random => Ok(field.at_random().into_iter().collect()),
        }
    }
}

/// The smallest loss is the largest of its negatives; it is shown as it is.
fn with_sign_of_losses(mut choices: Vec<Choice>) -> Vec<Choice> {
    for choice in &mut choices {
        choice.value = choice.value.map(|value| -value);
    }
    choices
}

/// A metric that needs labels; others are no truth.
fn supervised(name: &str) -> Result<&'static dyn Metric> {
    let metric = metrics::find(name)?;
    match metric.needs() {
        Needs::Factors | Needs::Split => Ok(metric),
        _ => Err(Error::setting(
            "metric",
            format!(
                "cannot be `{name}`, which does not look at labels; take one that does, such as `dci` or `mig`"
            ),
        )),
    }
}

/// The first of the headline metrics that some run has, or of all that look at labels.
fn headline(numbers: &[(&Planned, Vec<Number>)]) -> &'static dyn Metric {
    let has = |metric: &&'static dyn Metric| {
        let name = metric.info().name;
        numbers.iter().flat_map(|(_, all)| all).any(|one| is_score(one, name))
    };
    let headlines = || HEADLINES.iter().filter_map(|name| metrics::find(name).ok());
    let others = METRICS.iter().copied();
    let mut known = headlines()
        .chain(others.filter(|metric| matches!(metric.needs(), Needs::Factors | Needs::Split)))
        .filter(has);
    known.next().or_else(|| headlines().next()).expect("the headline metrics are metrics")
}

/// Whether a number is the score of posterior means by this metric.
fn is_score(number: &Number, metric: &str) -> bool {
    number.of == Of::Codes("mean") && number.name == metric
}

/// Apart what cannot be done here, which others can do without, from what must stop all.
fn possible(found: Result<Vec<Choice>>) -> Result<Possible> {
    use MeasureError::{Missing, NotHere};
    match found {
        Ok(choices) => Ok(Ok(choices)),
        Err(Error::Unable(reason) | Error::Measure(Missing(reason) | NotHere(reason))) => {
            Ok(Err(reason))
        }
        Err(other) => Err(other),
    }
}

/// Work on one run after the other: what is heard inside of a run is only whether to stop.
struct RunByRun<'a> {
    watch: &'a dyn Watch,
    stage: &'a str,
    runs: u64,
}

impl RunByRun<'_> {
    fn done(&self, runs: usize, name: &str) -> Result<()> {
        let (stage, steps) = (self.stage, [runs as u64, self.runs]);
        let share = runs as f64 / self.runs.max(1) as f64;
        self.watch.progress(&Progress { stage, share, steps: Some(steps), message: &name });
        match self.watch.stopped() {
            true => Err(MeasureError::Stopped.into()),
            false => Ok(()),
        }
    }
}

impl Watch for RunByRun<'_> {
    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}

#[cfg(test)]
mod tests;
