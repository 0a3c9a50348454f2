//! The temporal graph over the variables that a model has found: which of them, at one time, cause which at the next.
//! A conditional-independence search on the model's own latents (`unbraid_measure::causal::temporal`), beside the
//! same search on the true values, which shows what it can find at best.

use ndarray::{Array2, ArrayView2};
use serde_json::{Value as Json, json};
use unbraid_measure::causal::graph_distance::GraphDistance;
use unbraid_measure::causal::temporal::{Found, Transitions, search};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::factors::Kind;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::evaluate::encode::drawn_or_mean;
use crate::model::learner::Learner;

/// Steps that are looked at.
const STEPS: usize = 20_000;

/// A temporal graph with all there is to hold it against.
#[derive(Clone, Debug)]
pub struct TemporalCauses {
    /// The variables that were found.
    pub names: Vec<String>,
    /// Among the model's latents.
    pub learned: Found,
    /// By the same search among the true values.
    pub of_truth: Found,
    /// What is true, `[cause, effect]`, where it is known.
    pub truth: Option<Array2<bool>>,
}

/// Search it, for latents that stand for these factors.
pub fn learned(
    learner: &dyn Learner,
    data: &dyn Dataset,
    blocks: &[Option<usize>],
    seed: u64,
    watch: &dyn Watch,
) -> Result<TemporalCauses> {
    let rng = Rng::new(seed).split("temporal graph");
    let factors: Vec<usize> =
        (0..data.factors().len()).filter(|factor| blocks.contains(&Some(*factor))).collect();
    if factors.len() < 2 {
        return Err(Error::Unable(
            "fewer than two variables have latents of their own, so there is no graph between them"
                .into(),
        ));
    }
    let rows = data::rows(data, STEPS, &rng);
    let steps: Vec<(usize, data::Transition)> =
        rows.into_iter().filter_map(|row| Some((row, data.next(row)?))).collect();
    if steps.is_empty() {
        return Err(Error::Unable("no row of these data follows another".into()));
    }
    let from: Vec<usize> = steps.iter().map(|(row, _)| *row).collect();
    let to: Vec<usize> = steps.iter().map(|(_, step)| step.index).collect();
    let intervened = Array2::from_shape_fn((steps.len(), factors.len()), |(row, k)| {
        steps[row].1.targets.get(factors[k]).is_some_and(|target| *target > 0.0)
    });
    let draw = |rows: &Vec<usize>, which: &str| {
        drawn_or_mean(learner, data, rows, &rng.split(which), watch)
    };
    let codes = [draw(&from, "before"), draw(&to, "after")];
    let [before, after] = codes;
    let (before, after) = (before?.codes, after?.codes);
    let of = |factor: &usize| {
        (0..blocks.len()).filter(|latent| blocks[*latent] == Some(*factor)).collect()
    };
    let own: Vec<Vec<usize>> = factors.iter().map(of).collect();
    let found = |numbers: [ArrayView2<f32>; 2], blocks: &[Vec<usize>], stage: &str| {
        let steps = Transitions { numbers, blocks, intervened: intervened.view() };
        search(steps, &rng, &Stage::new(watch, stage))
    };
    let learned = found([before.view(), after.view()], &own, "causes among latents")?;
    let (before, columns) = columns(data, &from, &factors);
    let (after, _) = self::columns(data, &to, &factors);
    let of_truth = found([before.view(), after.view()], &columns, "causes among true values")?;
    let truth = data.temporal_graph().map(|graph| {
        Array2::from_shape_fn((factors.len(), factors.len()), |(i, j)| {
            graph[[factors[i], factors[j]]]
        })
    });
    let names = factors.iter().map(|factor| data.factors()[*factor].name.clone()).collect();
    Ok(TemporalCauses { names, learned, of_truth, truth })
}

/// The values of some factors in some rows, angles as two numbers, and the columns of each.
fn columns(
    data: &dyn Dataset,
    rows: &[usize],
    factors: &[usize],
) -> (Array2<f32>, Vec<Vec<usize>>) {
    let values = data::values(data, rows);
    let is_angle = |factor: usize| matches!(data.factors()[factor].kind, Kind::Angle);
    let (mut columns, mut numbers): (Vec<Vec<usize>>, Vec<Vec<f32>>) = (vec![], vec![]);
    for &factor in factors {
        let column = values.column(factor).to_vec();
        let first = numbers.len();
        match is_angle(factor) {
            true => {
                numbers.push(column.iter().map(|angle| angle.sin()).collect());
                numbers.push(column.iter().map(|angle| angle.cos()).collect());
            }
            false => numbers.push(column),
        }
        columns.push((first..numbers.len()).collect());
    }
    let table = Array2::from_shape_fn((rows.len(), numbers.len()), |(row, k)| numbers[k][row]);
    (table, columns)
}

impl TemporalCauses {
    /// How far edges are from the true ones; those from a variable to itself are not counted.
    pub fn distance(&self, found: &Found) -> Option<GraphDistance> {
        GraphDistance::between(found.edges.view(), self.truth.as_ref()?.view()).ok()
    }

    /// One document; row = cause.
    pub fn to_json(&self) -> Json {
        let rows = |edges: &Array2<bool>| -> Vec<Vec<u8>> {
            edges.rows().into_iter().map(|row| row.mapv(u8::from).to_vec()).collect()
        };
        let found = |found: &Found| {
            let distance = self.distance(found);
            let strengths: Vec<Vec<f64>> =
                found.strengths.rows().into_iter().map(|row| row.to_vec()).collect();
            json!({
                "edges": rows(&found.edges), "strengths": strengths,
                "shd": distance.map(|d| d.hamming()), "precision": distance.map(|d| d.precision()),
                "recall": distance.map(|d| d.recall()),
            })
        };
        json!({
            "format": 1, "names": self.names, "learned": found(&self.learned),
            "on_true_values": found(&self.of_truth), "true": self.truth.as_ref().map(rows),
        })
    }
}
