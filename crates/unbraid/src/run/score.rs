//! The scores of a run: its codes judged by metrics, and the document that is kept of it.

use serde_json::{Value as Json, json};
use unbraid_measure::metrics::{self, Metric, Needs};
use unbraid_measure::representation::{Protocol, Representation, Split};
use unbraid_measure::rng::Rng;
use unbraid_measure::scoring::{self, Options, Report, metrics_named};
use unbraid_measure::watch::Watch;

use super::config::{Judged, ScoreSettings};
use super::directory::Run;
use super::plan::Plan;
use super::trained::TrainedRun;
use super::{card, files};
use crate::error::{Error, Result};
use crate::evaluate::unaided::{Unaided, unaided};
use crate::figures::sets;

/// What is computed of codes where no factors are known and nothing is asked.
const UNAIDED: &str = "total-correlation";

/// What is scored, and how. Nothing named means what the run names.
#[derive(Clone, Debug)]
pub struct Scoring {
    /// The metrics, or `all`.
    pub metrics: Vec<String>,
    /// Metrics that are also computed on codes drawn from the posterior.
    pub sampled: Vec<String>,
    /// The seed of metrics that draw at random, of the split and of resampled rows.
    pub seed: u64,
    /// How many bins of equal width codes and continuous factors are cut into.
    pub bins: usize,
    /// Teach predictors on the first so many rows; two thirds drawn at random if left out.
    pub train_rows: Option<usize>,
    /// Judge predictors on the last so many rows.
    pub test_rows: Option<usize>,
    /// How many times to resample the rows for an interval; 0 for none.
    pub bootstrap: usize,
    /// How many times to shuffle the codes for what chance would score; quick metrics alone if it is not said.
    pub null: Option<usize>,
    /// Whether to look at the codes directly and say which scores can be believed.
    pub doctor: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        let bins = Protocol::default().bins;
        let (metrics, sampled) = (vec![], vec![]);
        let (train_rows, test_rows, null) = (None, None, None);
        Self {
            metrics,
            sampled,
            seed: 0,
            bins,
            train_rows,
            test_rows,
            bootstrap: 0,
            null,
            doctor: false,
        }
    }
}

impl Scoring {
    /// The metrics that were asked for, or these.
    pub fn metrics_or(&self, default: &[String]) -> Result<Vec<&'static dyn Metric>> {
        Ok(metrics_named(if self.metrics.is_empty() { default } else { &self.metrics })?)
    }

    /// The metrics that were asked for, or those of a run that its data allow: of data without factors, those that
    /// look at codes alone.
    pub fn metrics_of(&self, plan: &Plan) -> Result<Vec<&'static dyn Metric>> {
        self.metrics_for(&plan.config.score.metrics, plan.data.factors().is_empty())
    }

    /// The same where it is known whether there are factors.
    pub(super) fn metrics_for(
        &self,
        default: &[String],
        alone: bool,
    ) -> Result<Vec<&'static dyn Metric>> {
        let wanted = self.metrics_or(default)?;
        if !self.metrics.is_empty() || !alone {
            return Ok(wanted);
        }
        let alone = |metric: &&dyn Metric| matches!(metric.needs(), Needs::Codes | Needs::Graphs);
        let found: Vec<_> = wanted.into_iter().filter(alone).collect();
        Ok(if found.is_empty() { vec![metrics::find(UNAIDED)?] } else { found })
    }

    /// Judge a table: bins and the split as asked.
    pub fn judge(
        &self,
        codes: &mut Representation,
        metrics: &[&'static dyn Metric],
        watch: &dyn Watch,
    ) -> Result<Report> {
        let split = Split::asked(self.train_rows, self.test_rows, codes.rows(), self.seed);
        codes.protocol = Protocol { bins: self.bins, split };
        let Self { seed, bootstrap, null, doctor, .. } = *self;
        let options = Options { seed, bootstrap, null, doctor };
        Ok(scoring::score(codes, metrics, options, watch)?)
    }
}

/// What scoring a run found.
pub struct Scored {
    /// The codes by which it was judged.
    pub codes: Representation<'static>,
    /// Of the posterior means of the training data.
    pub report: Report,
    /// Of drawn codes and of held-out rows.
    pub others: Vec<(Codes, Report)>,
    /// What codes tell by themselves, where no factors are known.
    pub unaided: Option<Unaided>,
    /// All of it, as it is kept in the run.
    pub document: Json,
}

impl TrainedRun {
    /// Score the run and keep what was found, if anything was, in its directory and on its card.
    pub fn score(&self, how: &Scoring, watch: &dyn Watch) -> Result<Scored> {
        let _lock = self.run().lock("scoring")?;
        self.score_alone(how, watch)
    }

    /// The same for who has the directory already.
    pub(crate) fn score_alone(&self, how: &Scoring, watch: &dyn Watch) -> Result<Scored> {
        let plan = self.plan();
        let metrics = how.metrics_of(plan)?;
        let known = |plan: &Plan| plan.task.rows - plan.data.unlabelled();
        let rows = |plan: &Plan| plan.config.score.rows.min(known(plan));
        watch.note(&format!("encoding {} rows", rows(plan)));
        if let unknown @ 1.. = plan.data.unlabelled() {
            watch.note(&format!("{unknown} rows have no value of some factor and are left out"));
        }
        let mut codes = self.scored_codes(watch)?;
        let report = how.judge(&mut codes, &metrics, watch)?;
        let mut others = Vec::new();
        others.extend(self.score_drawn(how, plan, Codes::Sample, watch)?);
        if let Some(plan) = self.held_out()? {
            watch.note(&format!("encoding {} held-out rows", rows(plan)));
            let mut codes = self.codes_of(plan, watch)?;
            others.push((Codes::HeldOut, how.judge(&mut codes, &metrics, watch)?));
            others.extend(self.score_drawn(how, plan, Codes::HeldOutSample, watch)?);
        }
        let mut document = joined(&report, &others);
        let alone = plan.data.factors().is_empty() && how.metrics.is_empty();
        let rng = Rng::new(plan.config.seed);
        let unaided = alone.then(|| unaided(&codes, self.learner(), &*plan.data, &rng));
        if let Some(unaided) = &unaided {
            document["without_labels"] = unaided.to_json();
        }
        let scored =
            unaided.is_some() || report.outcomes.iter().any(|outcome| outcome.score.is_ok());
        if scored {
            save(self.run(), document.clone())?;
            self.draw_sets(&document)?;
        }
        // After the scores are safe: it may be refused.
        let ScoreSettings { bound, bound_rows, .. } = plan.config.score;
        let bounded = match bound {
            0 => Ok(()),
            draws => self.measure_bound(draws, bound_rows, watch).map(drop),
        };
        let judged = self.judge_interventions(watch);
        if scored {
            card::write(self.run(), plan)?;
        }
        bounded?;
        judged?;
        Ok(Scored { codes, report, others, unaided, document })
    }

    /// Draw how well each set of codes predicts each factor, on held-out rows where there are some.
    fn draw_sets(&self, document: &Json) -> Result<()> {
        let scores = document["scores"].as_array().into_iter().flatten();
        let parts = scores.filter_map(|score| score["parts"].as_object());
        let title = format!(
            "{} on {}: what each set of latents predicts",
            self.plan().entry.info.title,
            self.plan().config.data_title()
        );
        match parts.filter_map(|parts| sets::drawn(parts, &title)).next_back() {
            Some(figure) => figure.save(&title, &self.run().file(sets::FILE)),
            None => Ok(()),
        }
    }

    /// Hold the model's interventions against the true ones, those that the run names.
    fn judge_interventions(&self, watch: &dyn Watch) -> Result<()> {
        for judged in &self.plan().config.score.interventions {
            match judged {
                Judged::Triplets => drop(self.triplets(watch)?),
                Judged::Interactions => drop(self.interactions(watch)?),
                Judged::Actions => drop(self.actions(watch)?),
                Judged::Acted => drop(self.acted(watch)?),
            }
        }
        Ok(())
    }

    /// Score codes drawn from the posterior, if that is asked.
    fn score_drawn(
        &self,
        how: &Scoring,
        plan: &Plan,
        kind: Codes,
        watch: &dyn Watch,
    ) -> Result<Option<(Codes, Report)>> {
        let asked = !how.sampled.is_empty();
        let names = if asked { &how.sampled } else { &plan.config.score.sampled };
        if names.is_empty() {
            return Ok(None);
        }
        let metrics = metrics_named(names)?;
        match self.drawn_codes_of(plan, watch)? {
            Some(mut codes) => Ok(Some((kind, how.judge(&mut codes, &metrics, watch)?))),
            // A study asks it of every row; only a person who asks is told.
            None if !asked => Ok(None),
            None => Err(Error::Unable(format!(
                "`{}` has one code per observation, so there is nothing to draw; leave --sampled out",
                plan.entry.info.name
            ))),
        }
    }
}

/// Codes that are scored beside the means of the training data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// One draw from each posterior.
    Sample,
    /// The means of held-out rows.
    HeldOut,
    /// One draw from each posterior of held-out rows.
    HeldOutSample,
}

impl Codes {
    /// In `scores.json`, in a table, and above one.
    const WORDS: [(Self, &str, &str, &str); 3] = [
        (Self::Sample, "sample", "sampled", "of codes drawn from the posterior"),
        (Self::HeldOut, "held-out", "held out", "of held-out rows"),
        (Self::HeldOutSample, "held-out-sample", "held out, sampled", "of held-out rows, drawn"),
    ];

    fn words(self) -> (&'static str, &'static str) {
        let found = Self::WORDS.iter().find(|words| words.0 == self);
        let (_, key, _, heading) = found.expect("every kind has words");
        (key, heading)
    }

    /// What stands above their table.
    pub fn heading(self) -> &'static str {
        self.words().1
    }
}

/// The document of scores of means and of other codes, which say what they are.
pub fn joined(of_means: &Report, others: &[(Codes, Report)]) -> Json {
    let mut document = of_means.to_json();
    let mut more = Vec::new();
    for (codes, report) in others {
        let mut scores = report.to_json()["scores"].take();
        for score in scores.as_array_mut().into_iter().flatten() {
            score["codes"] = json!(codes.words().0);
            more.push(score.take());
        }
    }
    if let Some(scores) = document["scores"].as_array_mut() {
        scores.extend(more);
    }
    document
}

/// How a score is called in tables: `mig`, or `mig (sampled)` of drawn codes.
pub fn title(score: &Json) -> String {
    let name = score["metric"].as_str().unwrap_or_default();
    match codes_of(score) {
        Some(words) => format!("{name} ({words})"),
        None => name.to_string(),
    }
}

/// Which codes a score is of, in words; none if it is of the means of the training data.
pub fn codes_of(score: &Json) -> Option<&'static str> {
    let codes = score["codes"].as_str()?;
    Codes::WORDS.iter().find(|(_, key, ..)| *key == codes).map(|(_, _, words, _)| *words)
}

/// Write the scores into the run; metrics scored before and not now are kept.
pub fn save(run: &Run, mut document: Json) -> Result<()> {
    let named = |score: &Json| (score["metric"].clone(), score["codes"].clone());
    if let Some(earlier) = run.document(files::SCORES)?
        && let (Some(old), Some(new)) =
            (earlier["scores"].as_array(), document["scores"].as_array_mut())
    {
        let known: Vec<_> = new.iter().map(named).collect();
        new.extend(old.iter().filter(|score| !known.contains(&named(score))).cloned());
        if document["without_labels"].is_null() && !earlier["without_labels"].is_null() {
            document["without_labels"] = earlier["without_labels"].clone();
        }
    }
    run.write_document(files::SCORES, &document)
}

/// Whether a document of scores has each of these metrics, of the means.
pub fn has_all(document: &Json, metrics: &[&'static dyn Metric]) -> bool {
    let scores = document["scores"].as_array();
    let has = |name: &str| {
        let mut scores = scores.into_iter().flatten();
        scores.any(|score| score["metric"] == name && score["codes"].is_null())
    };
    metrics.iter().all(|metric| has(metric.info().name))
}
