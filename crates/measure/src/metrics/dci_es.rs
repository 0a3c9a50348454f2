//! DCI-ES (Eastwood et al. 2023, arXiv:2210.00364): how easily a representation is used, and how
//! large it is. Probes of growing capacity c tell each factor, here random forests cut at depths 1
//! to 32; with ℓ(c) the held-out loss 1 - R² of the best probe up to c, baseline loss 1, K factors
//! and d codes,
//!
//! ```text
//! A = area between ℓ(c) and its own minimum
//! E = 1 - 2 A / ( (c_max - c_min) · 1 ),      the score: its mean over factors
//! S = K / d
//! ```
//!
//! Disentanglement, completeness and informativeness are those of the most informative depth.
//!
//! Differences from the authors' code: one forest is cut at all depths, which is the same as growing
//! one for each; all factors are taken as numbers; a loss above the baseline counts as the baseline;
//! where hardly anything is told, there is no score.

use ndarray::{Array2, Axis};

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::forest::{Binned, Cut, cuts};
use crate::representation::{Representation, Targets};
use crate::rng::Rng;
use crate::stats::column_order::order_of_columns;
use crate::stats::matrix_scores::{completeness, disentanglement};
use crate::stats::mean;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Explicitness, the value: how simple a predictor suffices to read the factors from the codes? And
size: how many codes are there for each factor?

## How

For each factor, a random forest (30 trees) on all codes predicts its number, from the training
rows, and is cut at depths 1, 2, ... 32. The loss is 1 - R2 on the test rows, at most 1, and that of
the best depth so far. The area between this curve and its own minimum is small if shallow trees
tell as much as deep ones. Explicitness is 1 minus twice the area divided by the range of depths;
the score is its mean over factors. Size is (factors) / (codes). An angle is predicted as its cosine
and sine.

## Reading it

Up to 1, and hardly below 0. 1: what the codes tell is told by a single split. Because trees of
depth 32 are cut where rows run out, values below 0.8 are rare: compare them with each other, not
with 0. `size` is 1 with as many codes as factors and lower with more. `informativeness` is the mean
R2 of the best depth, with `disentanglement` and `completeness` at that depth as in `dci`. The parts
`dci-es/FACTOR` are those of each factor; the matrix holds the importances.

## Cautions

- Each curve is compared with its own minimum, so codes that tell little may have a high score: read
  it with `informativeness` only. Where that is below 0.05 there is no score.
- Trees split along codes: rotated codes are less explicit to them, though a linear probe would not
  mind. Values with other probes (networks, random features) cannot be compared.
- All factors are taken as numbers; for shapes or colours their order is arbitrary.
- One factor, a constant factor, and fewer than 50 training rows are refused.

## Reference

Eastwood, Nicolicioiu, von Kügelgen, Kekić, Träuble, Dittadi and Schölkopf, DCI-ES: An Extended
Disentanglement Framework with Connections to Identifiability, ICLR 2023, arXiv:2210.00364.";

/// Fewer rows teach nothing.
const FEWEST_ROWS: usize = 50;
/// Less R² than this is not worth a curve.
const TOLD: f64 = 0.05;

/// Explicitness and size.
#[derive(Clone, Copy, Debug)]
pub struct DciEs {
    /// How many trees a forest has.
    pub trees: u64,
    /// The largest depth, at least two.
    pub depths: usize,
}

impl DciEs {
    /// Depths 1 to 32, as published.
    pub const FORESTS: Self = Self { trees: 30, depths: 32 };
}

impl Metric for DciEs {
    fn info(&self) -> Info {
        Info {
            name: "dci-es",
            title: "DCI-ES",
            summary: "explicitness and size: how simple a predictor reads the factors?",
            paper: "Eastwood et al., DCI-ES, ICLR 2023",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "the simplest predictor reads the factors as well as any";
        Reading { low: -1.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        representation.check_change("dci-es")?;
        let (train, test) = representation.split_rows()?;
        check(representation, &train, &test)?;
        let targets = Targets::new(representation);
        // Of splits that are equally good the first column is taken, whatever the order of codes.
        let order = order_of_columns(representation.codes.view());
        let codes = representation.codes.select(Axis(1), &order);
        let [known, asked] = [&train, &test].map(|rows| codes.select(Axis(0), rows));
        let binned = Binned::new(known.view(), asked.view());
        let mut grown = Vec::new();
        for (t, target) in targets.numbers.columns().into_iter().enumerate() {
            let target: Vec<f64> = train.iter().map(|&row| target[row]).collect();
            let rng = rng.split("forest").at(t as u64);
            grown.push(cuts(&binned, &target, self.trees, self.depths, &rng));
            watch.advance(1.0 / targets.factors.len() as f64)?;
        }
        let truth = targets.numbers.select(Axis(0), &test);
        let told: Vec<Vec<f64>> = (0..self.depths)
            .map(|depth| {
                let of = |(row, t): (usize, usize)| grown[t][depth].told[row];
                targets.explained(&truth, &Array2::from_shape_fn(truth.dim(), of))
            })
            .collect();
        summary(representation, &targets, &grown, &told, &order)
    }
}

/// From R² `[depths][factors]`.
fn summary(
    table: &Representation,
    targets: &Targets,
    grown: &[Vec<Cut>],
    told: &[Vec<f64>],
    order: &[usize],
) -> Result<Score> {
    let means: Vec<f64> = told.iter().map(|told| mean(told.iter().copied())).collect();
    let best = (1..means.len()).fold(0, |best, c| if means[c] > means[best] { c } else { best });
    if means[best] < TOLD {
        return Err(Error::Missing(format!(
            "dci-es cannot be computed, because forests of any depth tell less than {TOLD} of \
             the variance of the factors and a curve of nothing is always flat; score codes \
             that tell something, or more rows"
        )));
    }
    let mut importances = Array2::zeros((order.len(), table.factors.len()));
    for (cuts, &k) in grown.iter().zip(&targets.factors) {
        let gains = &cuts[best].gains;
        let total: f64 = gains.iter().sum();
        for (gain, &j) in gains.iter().zip(order).filter(|_| total > 0.0) {
            importances[[j, k]] += gain / total;
        }
    }
    let explicit = |k: usize| {
        let curve: Vec<f64> = told.iter().map(|told| 1.0 - told[k].clamp(0.0, 1.0)).collect();
        explicitness(&curve)
    };
    let found: Vec<f64> = (0..table.factors.len()).map(explicit).collect();
    let mut parts = vec![
        ("size".to_string(), table.factors.len() as f64 / order.len() as f64),
        ("disentanglement".into(), disentanglement(importances.view()).max(0.0)),
        ("informativeness".into(), means[best]),
    ];
    if order.len() > 1 {
        parts.push(("completeness".into(), completeness(importances.view()).max(0.0)));
    }
    let factors = table.factors.iter().zip(&found);
    parts.extend(factors.map(|(factor, e)| (format!("dci-es/{}", factor.name), *e)));
    Ok(Score { value: mean(found), parts, matrix: Some(importances) })
}

fn check(table: &Representation, train: &[usize], test: &[usize]) -> Result<()> {
    let constant = |rows: &[usize]| {
        let mut columns = table.values.columns().into_iter().zip(&table.factors);
        let found = columns.find(|(column, _)| rows.iter().all(|&r| column[r] == column[rows[0]]));
        found.map(|(_, factor)| factor.name.clone())
    };
    let reason = if table.factors.len() < 2 {
        "it compares factors with each other and there is one only; score two or more".to_string()
    } else if train.len() < FEWEST_ROWS {
        format!(
            "there are {} rows that teach, too few for trees of many depths; give at least \
             {FEWEST_ROWS}, and better thousands",
            train.len()
        )
    } else if let Some(name) = constant(train).or_else(|| constant(test)) {
        format!(
            "factor `{name}` has one value among the rows that teach, or among those that judge; \
             score more rows, or leave the factor out"
        )
    } else {
        return Ok(());
    };
    Err(Error::Missing(format!("dci-es cannot be computed, because {reason}")))
}

/// 1 - 2 A / (range of capacities), from the loss at capacities 1, 2, …
fn explicitness(losses: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    let best_so_far: Vec<f64> = losses
        .iter()
        .map(|loss| {
            least = least.min(*loss);
            least
        })
        .collect();
    let area: f64 =
        best_so_far.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]) - least).sum();
    1.0 - 2.0 * area / (losses.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        DciEs::FORESTS.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn the_area_by_hand() {
        // Best so far 1, 0.5, 0.5, 0.25: trapezia above 0.25 of 0.5, 0.25 and 0.125.
        let found = explicitness(&[1.0, 0.5, 0.9, 0.25]);
        assert!((found - (1.0 - 2.0 * 0.875 / 3.0)).abs() < 1e-12, "{found}");
        assert_eq!(explicitness(&[0.7; 5]), 1.0);
        // A straight line from the baseline to nothing is what 0 stands for.
        assert!(explicitness(&[1.0, 0.75, 0.5, 0.25, 0.0]).abs() < 1e-12);
    }

    #[test]
    fn codes_that_are_factors_are_more_explicit_than_a_mixture() {
        let mut rng = Rng::new(2);
        let values = Array2::from_shape_fn((1500, 2), |_| rng.normal());
        let factors = ["a", "b"].map(Factor::continuous);
        let mixed = values.dot(&ndarray::array![[1.0_f32, 1.0], [1.0, -1.0]]);
        let table = |codes: Array2<f32>| {
            Representation::new(codes, values.clone(), factors.to_vec()).unwrap()
        };
        let (own, mixed) = (score(&table(values.clone())).unwrap(), score(&table(mixed)).unwrap());
        assert!(own.value > mixed.value + 0.02, "{own:?} and {mixed:?}");
        assert_eq!(own.part("size"), Some(1.0));
        assert!(own.part("disentanglement").unwrap() > 0.95);
        assert!(mixed.part("disentanglement").unwrap() < 0.2);
        assert!(own.part("informativeness").unwrap() > 0.97);
    }

    #[test]
    fn size_is_codes_per_factor_and_the_matrix_follows_the_codes() {
        let found = score(&grid([4, 3], 20, |[a, b]| vec![9.0, b, 100.0 * a, 8.0])).unwrap();
        assert_eq!(found.part("size"), Some(0.5));
        let matrix = found.matrix.unwrap();
        assert!(matrix[[2, 0]] > 0.99 && matrix[[1, 1]] > 0.99, "{matrix}");
    }

    #[test]
    fn codes_that_tell_nothing_and_small_tables_are_refused() {
        let reason = |table: &Representation| score(table).unwrap_err().to_string();
        assert!(reason(&grid([4, 3], 20, |_| vec![0.5])).contains("is always flat"));
        assert!(reason(&grid([4, 3], 5, |v| v.to_vec())).contains("40 rows that teach, too few"));
        assert!(reason(&grid([4], 50, |v| v.to_vec())).contains("there is one only"));
    }
}
