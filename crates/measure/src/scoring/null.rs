//! What chance would score: the same metric on the same codes in another order, so that they know nothing of the factors of
//! their rows. Each code keeps its values, codes keep what they have to do with each other, and so do factors.
//!
//! ```text
//! interval: from the k-th smallest to the k-th largest of N draws,   k = max(1, ⌊0.025 (N + 1)⌋)
//! ```
//!
//! Codes that know nothing lie outside of it with a probability of 2k / (N + 1), or less where values are equal: 5 % with
//! 39 draws, the fewest that can tell at that level.

use ndarray::Axis;
use serde_json::{Value as Json, json};

use crate::error::Result;
use crate::metrics::{Better, Metric, Needs, Score};
use crate::representation::Representation;
use crate::rng::Rng;

/// Draws of quick metrics, unless another number is asked for.
pub const DRAWS: usize = 39;
/// On each side of the interval.
const TAIL: f64 = 0.025;

/// What chance would score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Null {
    /// The mean.
    pub level: f64,
    /// The ends of the interval.
    pub interval: [f64; 2],
    /// How often the rows were put into another order.
    pub draws: usize,
}

impl Null {
    /// Whether codes that know nothing could have a score as good as this.
    pub fn explains(&self, value: f64, better: Better) -> bool {
        match better {
            Better::Higher => value <= self.interval[1],
            Better::Lower => value >= self.interval[0],
        }
    }

    /// As in the document of scores.
    pub fn to_json(&self) -> Json {
        json!({ "level": self.level, "interval": self.interval, "draws": self.draws })
    }
}

/// Whether it means something for a metric: one that holds codes against the factors of their rows.
pub fn applies(metric: &dyn Metric) -> bool {
    matches!(metric.needs(), Needs::Factors | Needs::Split)
}

/// Score the codes in so many other orders. Nothing if too few of them have a score.
pub fn of(
    table: &Representation,
    draws: usize,
    rng: &Rng,
    mut score: impl FnMut(usize, &Representation) -> Result<Option<Score>>,
) -> Result<Option<Null>> {
    let mut values = Vec::new();
    for draw in 0..draws {
        let found = score(draw, &shuffled(table, rng.at(draw as u64)))?;
        values.extend(found.map(|score| score.value));
    }
    values.sort_by(f64::total_cmp);
    let aside = ((TAIL * (values.len() + 1) as f64) as usize).max(1) - 1;
    let ends = (values.get(aside), values.len().checked_sub(1 + aside).map(|k| values[k]));
    let (Some(low), Some(high)) = ends else { return Ok(None) };
    let level = values.iter().sum::<f64>() / values.len() as f64;
    Ok(Some(Null { level, interval: [*low, high], draws: values.len() }))
}

/// The codes of each row beside the factors of another.
fn shuffled(table: &Representation, mut rng: Rng) -> Representation<'static> {
    let all: Vec<usize> = (0..table.rows()).collect();
    let order = rng.permutation(table.rows());
    let mut drawn = table.select(&all);
    drawn.codes = table.codes.select(Axis(0), &order).into();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::scoring::{Options, metrics_named, score};
    use crate::watch::Nobody;
    use ndarray::Array2;

    /// Half of the codes are the factor and noise, half are noise alone.
    fn table(rows: usize, known: f32, seed: u64) -> Representation<'static> {
        let mut rng = Rng::new(seed);
        let values = Array2::from_shape_fn((rows, 2), |(row, k)| {
            if k == 0 { (row % 5) as f32 } else { (row / 5 % 4) as f32 }
        });
        let codes =
            Array2::from_shape_fn((rows, 2), |(row, k)| known * values[[row, k]] + rng.normal());
        let factors = [5, 4].map(|size| Factor::discrete("f", (0..size).map(|v| v as f32)));
        Representation::new(codes, values, factors.to_vec()).unwrap()
    }

    #[test]
    fn what_knows_something_is_above_chance_and_the_marginals_are_kept() {
        let metrics = metrics_named(&["mig", "mcc"]).unwrap();
        let options = Options { null: Some(DRAWS), ..Options::default() };
        let report = score(&table(400, 3.0, 1), &metrics, options, &Nobody).unwrap();
        for outcome in &report.outcomes {
            let (value, null) = (outcome.score.as_ref().unwrap().value, outcome.null.unwrap());
            assert!(!null.explains(value, outcome.metric.reading().better), "{null:?} {value}");
            assert!(null.draws == DRAWS && null.interval[0] <= null.level, "{null:?}");
        }
        let (table, drawn) = (table(50, 1.0, 2), shuffled(&table(50, 1.0, 2), Rng::new(3)));
        let sorted = |codes: Vec<f32>| {
            let mut codes = codes;
            codes.sort_by(f32::total_cmp);
            codes
        };
        let column = |table: &Representation| sorted(table.codes.column(0).to_vec());
        assert!(column(&table) == column(&drawn) && table.codes != drawn.codes);
        assert_eq!(table.values, drawn.values);
    }

    /// 200 tables of noise: nineteen of twenty scores lie inside, as the interval says.
    #[test]
    fn noise_lies_within_what_chance_scores() {
        let metrics = metrics_named(&["mig", "modularity"]).unwrap();
        let options = Options { null: Some(DRAWS), ..Options::default() };
        let mut inside = [0; 2];
        for seed in 0..200 {
            let rows = 60 + 10 * (seed as usize % 20);
            let report = score(&table(rows, 0.0, 100 + seed), &metrics, options, &Nobody).unwrap();
            for (count, outcome) in inside.iter_mut().zip(&report.outcomes) {
                let (value, null) = (outcome.score.as_ref().unwrap().value, outcome.null.unwrap());
                *count += usize::from((null.interval[0]..=null.interval[1]).contains(&value));
            }
        }
        // 190 are expected; fewer than 180 would be chance once in a thousand times.
        assert!(inside.iter().all(|count| *count >= 180), "{inside:?}");
    }
}
