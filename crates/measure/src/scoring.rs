//! Scoring: a table judged by many metrics, with intervals, the level of chance and warnings, and the JSON document
//! that users and scripts rely on. The program and the Python package both end here, so that the
//! same arrays give the same numbers from both.

use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::cautions;
use crate::doctor::{Look, Opinion};
use crate::error::{Error, Result};
use crate::metrics::{self, METRICS, Metric, Needs, Score};
use crate::representation::{Representation, Split};
use crate::rng::Rng;
use crate::watch::{Stage, Watch};

pub mod null;

use null::Null;

/// The number of the format of the document.
pub const FORMAT: u32 = 1;

/// A larger matrix of codes against factors (that of raw pixels) is left out of the JSON.
const MOST_CELLS: usize = 10_000;

/// The middle 95 % of the resampled scores.
const INTERVAL: (f64, f64) = (0.025, 0.975);

/// How to score. Bins and the split are in the table's own `protocol`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The seed of metrics that draw at random, and of the resampled rows.
    pub seed: u64,
    /// How many times to resample the rows for an interval; 0 for none.
    pub bootstrap: usize,
    /// How many times to shuffle the codes for what chance would score; quick metrics only, [`null::DRAWS`] times, if
    /// it is not said.
    pub null: Option<usize>,
    /// Whether to look at the codes directly and say which scores can be believed.
    pub doctor: bool,
}

/// A metric's result or the reason why there is none.
#[derive(Debug)]
pub struct Outcome {
    /// The metric.
    pub metric: &'static dyn Metric,
    /// The score, or why there is none.
    pub score: Result<Score>,
    /// The middle 95 % of the values on resampled rows, if they were asked for.
    pub interval: Option<(f64, f64)>,
    /// What chance would score, where that was asked for or is quick.
    pub null: Option<Null>,
    /// How long the score took, without its interval.
    pub seconds: f64,
}

/// All that was found out about a table.
#[derive(Debug)]
pub struct Report {
    /// One per metric, in the order asked.
    pub outcomes: Vec<Outcome>,
    /// What to keep in mind when reading the values, a sentence each.
    pub warnings: Vec<String>,
    /// What a direct look at the codes saw, if it was asked for.
    pub look: Option<Look>,
    /// How many rows the table has.
    pub rows: usize,
    /// The seed.
    pub seed: u64,
}

/// The metrics of these names, each once; "all" is all of them.
pub fn metrics_named<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static dyn Metric>> {
    let mut chosen: Vec<&'static dyn Metric> = Vec::new();
    for name in names.iter().map(|name| name.as_ref().trim()).filter(|name| !name.is_empty()) {
        let found = match name {
            "all" => METRICS.to_vec(),
            name => vec![metrics::find(name)?],
        };
        for metric in found {
            if chosen.iter().all(|other| other.info().name != metric.info().name) {
                chosen.push(metric);
            }
        }
    }
    match chosen.is_empty() {
        true => Err(Error::setting("metrics", "is empty; name some, or all")),
        false => Ok(chosen),
    }
}

/// Judge a table with each of these metrics. Each draws from its own generator, so that the choice
/// of others does not change a score. A stage of what is watched is a metric.
pub fn score(
    table: &Representation,
    metrics: &[&'static dyn Metric],
    options: Options,
    watch: &dyn Watch,
) -> Result<Report> {
    // Rows that cannot be split as asked are the caller's mistake, not a metric's.
    if let Split::Ends { .. } = table.protocol.split {
        table.split_rows()?;
    }
    let root = Rng::new(options.seed);
    let mut outcomes = Vec::new();
    for &metric in metrics {
        outcomes.push(judge(metric, table, options, &root, watch)?);
    }
    let mut warnings = cautions::of(table, metrics);
    let mut look = None;
    if options.doctor {
        match Look::at(table, &root.split("doctor"), &Stage::new(watch, "looking at the codes")) {
            Ok(seen) => look = Some(seen),
            Err(Error::Missing(reason)) => {
                warnings.push(format!("there is no second opinion: {reason}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Report { outcomes, warnings, look, rows: table.rows(), seed: options.seed })
}

fn judge(
    metric: &'static dyn Metric,
    table: &Representation,
    options: Options,
    root: &Rng,
    watch: &dyn Watch,
) -> Result<Outcome> {
    let name = metric.info().name;
    let rng = root.split("metrics").split(name);
    let bootstrap = options.bootstrap;
    let draws = match null::applies(metric) {
        true => options.null.unwrap_or(if metric.is_quick() { null::DRAWS } else { 0 }),
        false => 0,
    };
    let all = (1 + bootstrap + draws) as f64;
    // The score itself, each resampled and each shuffled one are equal shares of the work.
    let one = |number: usize, table: &Representation| {
        let stage = Stage::part(watch, name, [number as f64 / all, (number + 1) as f64 / all]);
        stage.advance(0.0)?;
        metrics::judge(metric, table, &mut rng.clone(), &stage)
    };
    let start = Instant::now();
    let score = one(0, table);
    let seconds = start.elapsed().as_secs_f64();
    if matches!(score, Err(Error::Stopped)) {
        return Err(Error::Stopped);
    }
    let mut values = Vec::new();
    if score.is_ok() {
        for number in 1..=bootstrap {
            let rows = root.split("bootstrap").at(number as u64);
            match one(number, &resampled(table, metric.needs(), rows)?) {
                Ok(score) => values.push(score.value),
                Err(Error::Stopped) => return Err(Error::Stopped),
                // Chance may draw rows without some class; such a draw says nothing.
                Err(_) => {}
            }
        }
    }
    let null = match score.is_ok() {
        true => null::of(table, draws, &root.split("null"), |draw, table| {
            match one(1 + bootstrap + draw, table) {
                Ok(score) => Ok(Some(score)),
                Err(Error::Stopped) => Err(Error::Stopped),
                Err(_) => Ok(None),
            }
        })?,
        false => None,
    };
    Ok(Outcome { metric, score, interval: interval(values), null, seconds })
}

/// As many rows, drawn with replacement. Rows that teach and rows that judge are drawn apart: a row
/// in both would make any predictor look better than it is.
fn resampled(
    table: &Representation,
    needs: Needs,
    mut rng: Rng,
) -> Result<Representation<'static>> {
    let mut draw = |rows: &[usize]| -> Vec<usize> {
        rows.iter().map(|_| rows[rng.below(rows.len())]).collect()
    };
    if needs == Needs::Split {
        let (train, test) = table.split_rows()?;
        let rows = [draw(&train), draw(&test)].concat();
        let mut drawn = table.select(&rows);
        drawn.protocol.split = Split::Ends { train: train.len(), test: test.len() };
        return Ok(drawn);
    }
    let rows = match table.protocol.split {
        Split::Random { .. } => (0..table.rows()).collect(),
        Split::Ends { .. } => table.split_rows()?.0,
    };
    let mut drawn = table.select(&draw(&rows));
    drawn.protocol.split = Split::Random { seed: 0 };
    Ok(drawn)
}

/// The quantiles of [`INTERVAL`], with straight lines between the sorted values.
fn interval(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let quantile = |share: f64| {
        let place = share * last as f64;
        let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
        low + (high - low) * place.fract()
    };
    Some((quantile(INTERVAL.0), quantile(INTERVAL.1)))
}

impl Report {
    /// One document: `{"format":1,"scores":[{"metric":…,"value":…,"parts":{…},"seconds":…}],…}`.
    /// Each score says its seed and rows, since those of a run may come from several calls.
    pub fn to_json(&self) -> Json {
        let scores: Vec<Json> = self.outcomes.iter().map(|outcome| self.one(outcome)).collect();
        let mut document = json!({"format": FORMAT, "scores": scores, "warnings": self.warnings});
        if let Some(look) = &self.look {
            document["signs"] = json!(look.signs);
        }
        document
    }

    /// What to think of an outcome, where the codes were looked at.
    pub fn opinion(&self, outcome: &Outcome) -> Option<Opinion> {
        self.look.as_ref()?.opinion(outcome.metric, outcome.score.as_ref().ok()?.value)
    }

    fn one(&self, outcome: &Outcome) -> Json {
        let mut document = json!({"metric": outcome.metric.info().name, "value": null});
        match &outcome.score {
            Ok(score) => {
                document["value"] = json!(score.value);
                let parts = score.parts.iter().map(|(name, value)| (name.clone(), json!(value)));
                document["parts"] = Json::Object(parts.collect());
                let small = score.matrix.as_ref().filter(|matrix| matrix.len() <= MOST_CELLS);
                if let Some(matrix) = small {
                    document["matrix"] =
                        matrix.rows().into_iter().map(|row| row.to_vec()).collect();
                }
            }
            Err(reason) => document["reason"] = json!(reason.to_string()),
        }
        if let Some((low, high)) = outcome.interval {
            document["interval"] = json!([low, high]);
        }
        if let Some(null) = outcome.null {
            document["null"] = null.to_json();
        }
        if let Some(opinion) = self.opinion(outcome) {
            document["believe"] = json!(opinion.believe);
            document["why"] = json!(opinion.why);
        }
        document["reading"] = json!(outcome.metric.reading().to_string());
        document["seconds"] = json!(outcome.seconds);
        document["seed"] = json!(self.seed);
        document["rows"] = json!(self.rows);
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::watch::Nobody;
    use ndarray::Array2;

    fn noisy(rows: usize) -> Representation<'static> {
        let mut rng = Rng::new(5);
        let values = Array2::from_shape_fn((rows, 1), |(row, _)| (row % 4) as f32);
        let codes = values.mapv(|value| value + 0.8 * rng.normal());
        Representation::new(codes, values, vec![Factor::discrete("a", [0.0, 1.0, 2.0, 3.0])])
            .unwrap()
    }

    fn report(table: &Representation, options: Options) -> Report {
        score(table, &metrics_named(&["mcc", "mig"]).unwrap(), options, &Nobody).unwrap()
    }

    #[test]
    fn an_interval_holds_the_value_and_narrows_with_rows() {
        let width = |rows: usize| {
            let found = report(&noisy(rows), Options { bootstrap: 40, ..Options::default() });
            let mcc = &found.outcomes[0];
            let ((low, high), value) = (mcc.interval.unwrap(), mcc.score.as_ref().unwrap().value);
            assert!(low < value && value < high, "{value} is not in {low} to {high}");
            high - low
        };
        assert!(width(4000) < 0.5 * width(400));
        assert_eq!(interval(vec![]), None);
        assert_eq!(interval(vec![3.0, 1.0]), Some((1.05, 2.95)));
    }

    #[test]
    fn a_resampled_row_never_both_teaches_and_judges() {
        let rows = Array2::from_shape_fn((90, 1), |(row, _)| row as f32);
        let table =
            Representation::new(rows.clone(), rows, vec![Factor::continuous("row")]).unwrap();
        let (train, test) = resampled(&table, Needs::Split, Rng::new(1)).unwrap().split().unwrap();
        assert_eq!((train.rows(), test.rows()), (60, 30));
        assert!(test.codes.iter().all(|row| train.codes.iter().all(|other| other != row)));
    }

    #[test]
    fn the_document_has_a_reason_where_there_is_no_value() {
        let constant = Representation::new(
            Array2::ones((6, 1)),
            Array2::from_shape_fn((6, 1), |(row, _)| row as f32),
            vec![Factor::continuous("a")],
        );
        let document = report(&constant.unwrap(), Options::default()).to_json();
        assert_eq!(document["format"], 1);
        let mcc = &document["scores"][0];
        assert!(mcc["value"].is_null());
        assert!(mcc["reason"].as_str().unwrap().starts_with("code 0 is the same"), "{mcc}");
    }

    /// One bin makes every factor constant, and a share of no entropy is no number.
    #[test]
    fn what_is_no_number_is_no_value() {
        let codes = Array2::from_shape_fn((50, 2), |(row, k)| (row * (k + 3) % 17) as f32);
        let values = Array2::from_shape_fn((50, 1), |(row, _)| row as f32 / 7.0);
        let mut table = Representation::new(codes, values, vec![Factor::continuous("a")]).unwrap();
        table.protocol.bins = 1;
        let mig = &report(&table, Options::default()).outcomes[1];
        let reason = mig.score.as_ref().unwrap_err().to_string();
        assert!(reason.contains("divides nothing by nothing"), "{reason}");
    }

    #[test]
    fn names_are_checked_and_none_is_taken_twice() {
        let named = |names: &[&str]| -> Result<Vec<_>> {
            Ok(metrics_named(names)?.iter().map(|metric| metric.info().name).collect())
        };
        assert_eq!(named(&["mcc", "mig ", "mcc"]).unwrap(), ["mcc", "mig"]);
        assert_eq!(named(&["mig", "all"]).unwrap().len(), METRICS.len());
        assert!(named(&[""]).is_err() && named(&["mgi"]).is_err());
    }

    #[test]
    fn a_second_opinion_stands_beside_each_score() {
        let options = Options { doctor: true, ..Options::default() };
        let document = report(&noisy(2000), options).to_json();
        let mcc = &document["scores"][0];
        assert!(mcc["believe"].is_boolean() && mcc["why"].as_str().is_some(), "{mcc}");
        assert!(document["signs"].is_array());
        // Without factors there is nothing to look at the codes with.
        let table =
            Representation { factors: vec![], values: Array2::zeros((50, 0)).into(), ..noisy(50) };
        let found = score(&table, &metrics_named(&["mutual-info"]).unwrap(), options, &Nobody);
        let alone = found.unwrap().to_json();
        assert!(alone["warnings"].to_string().contains("there is no second opinion"), "{alone}");
    }

    struct Impatient;

    impl Watch for Impatient {
        fn stopped(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_stop_ends_it() {
        let metrics = metrics_named(&["mcc"]).unwrap();
        let found = score(&noisy(100), &metrics, Options::default(), &Impatient);
        assert!(matches!(found, Err(Error::Stopped)));
    }
}
