//! Which action led from one observation to the next: what a method tells, beside what was done.

use ndarray::Array2;
use serde_json::{Value as Json, json};
use unbraid_measure::data::{Dataset, Transition, undone};
use unbraid_measure::stats::retrieval::Retrieved;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// Pairs that are told at once.
const CHUNK: usize = 64;

/// What was found of the pairs of some data.
#[derive(Clone, Debug)]
pub struct Told {
    /// The actions.
    pub actions: Vec<String>,
    /// Answers beside the truth.
    pub retrieved: Retrieved,
    /// The pairs of each action whose two observations have the same code: nothing can be told of them.
    pub blind: Vec<usize>,
}

/// log p(action | before, after) of pairs of rows, `[pairs, actions]`.
pub fn likely(
    learner: &dyn Learner,
    data: &dyn Dataset,
    pairs: &[[usize; 2]],
) -> Result<Array2<f32>> {
    let seen = |which: usize| {
        Seen::of(data, &pairs.iter().map(|pair| pair[which]).collect::<Vec<usize>>())
    };
    learner.retrieve(&seen(0), &seen(1)).ok_or_else(|| {
        Error::Unable(
            "this model does not tell what was done between two observations; train ct-vae or \
             pair-classifier on pairs"
                .into(),
        )
    })
}

/// Let a method tell the action of every step of these data, at most so many.
pub fn measure(
    learner: &dyn Learner,
    data: &dyn Dataset,
    most: usize,
    watch: &dyn Watch,
) -> Result<Told> {
    let steps: Vec<(usize, Transition)> = (0..data.len())
        .filter_map(|row| Some((row, data.next(row)?)))
        .filter(|(_, step)| step.action.contains(&1.0))
        .take(most)
        .collect();
    if steps.is_empty() || data.actions().is_empty() {
        let reason = "these data have no actions with names; make pairs with \
                      `data.variant.transitions`, or bring your own";
        return Err(Error::Unable(reason.into()));
    }
    let stage = Stage::new(watch, "telling actions");
    let (mut all, mut blind) = (Vec::new(), vec![0; data.actions().len()]);
    let done = |step: &Transition| step.action.iter().position(|one| *one == 1.0).unwrap_or(0);
    for chunk in steps.chunks(CHUNK) {
        let pairs: Vec<[usize; 2]> = chunk.iter().map(|(row, step)| [*row, step.index]).collect();
        all.extend(likely(learner, data, &pairs)?);
        let codes = |which: usize| {
            let rows: Vec<usize> = pairs.iter().map(|pair| pair[which]).collect();
            learner.encode(&Seen::of(data, &rows))
        };
        let (before, after) = (codes(0), codes(1));
        for ((one, other), (_, step)) in before.rows().into_iter().zip(after.rows()).zip(chunk) {
            blind[done(step)] += usize::from(one == other);
        }
        stage.advance(chunk.len() as f64 / steps.len() as f64)?;
    }
    let actions = data.actions().to_vec();
    let table =
        Array2::from_shape_vec((steps.len(), actions.len()), all).expect("a row for each pair");
    let done: Vec<usize> = steps.iter().map(|(_, step)| done(step)).collect();
    Ok(Told { actions, retrieved: Retrieved::new(&done, table.view()), blind })
}

impl Told {
    /// All of it, for `actions.json`.
    pub fn to_json(&self) -> Json {
        let of = |found: &Retrieved| {
            json!({
                "accuracy": found.accuracy(), "balanced": found.balanced(),
                "majority": found.majority(), "rows": found.rows(),
            })
        };
        let factors = undone(&self.actions).then(|| self.retrieved.of_factors());
        let action = |(k, name): (usize, &String)| {
            let row = self.retrieved.confusion.row(k);
            json!({
                "name": name, "pairs": row.sum(), "told": row.to_vec(), "blind": self.blind[k],
            })
        };
        json!({
            "format": 1,
            "action": of(&self.retrieved),
            "factor": factors.as_ref().map(of),
            "same_code": self.blind.iter().sum::<usize>() as f64 / self.retrieved.rows() as f64,
            "actions": self.actions.iter().enumerate().map(action).collect::<Vec<_>>(),
        })
    }
}
