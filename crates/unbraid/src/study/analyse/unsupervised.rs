//! A6: can a model be chosen without labels? What is known without them, beside the scores that need them.

use super::crossed::Crossed;
use super::finding::{Cell, Finding, Grid, said};
use super::statistics::{Estimate, Pairs, estimate, mean_spearman};
use super::{Analysis, Subject};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A6",
    title: "Scores without labels",
    about: "Spearman's rank correlation of what is known without labels (terms of the loss over the last tenth of the training, dependence \
            of the codes) with the metrics, over all models of a data set. To choose a model by such a number, the correlation must be \
            strong, and its sign the same everywhere. Less is better of reconstruction, KL and −ELBO.",
    find,
};

/// A rank correlation that would help to choose.
const STRONG: f64 = 0.5;

fn find(subject: &Subject) -> Option<Finding> {
    let (scores, known) = (subject.models.scores(), subject.models.unsupervised());
    if known.is_empty() {
        return None;
    }
    let crossed = Crossed {
        id: "a6",
        title: "Known without labels, against metrics,",
        of: "without labels",
        rows: &known,
        columns: &scores,
    };
    let (grid, pictures) = (crossed.grid(subject), crossed.maps(subject));
    let mut found = Finding { pictures, ..Finding::default() };
    let count = known.len() * scores.len();
    found.said.push(match &strong(&grid)[..] {
        [] => format!(
            "None of {count} pairs of a number and a metric has intervals beyond ±{STRONG} with one sign on every data set."
        ),
        some => format!(
            "{} of {count} pairs of a number and a metric have intervals beyond ±{STRONG} with one sign on every data set: {}.",
            some.len(),
            some.join(", ")
        ),
    });
    if let Some(size) = best(subject) {
        found.said.push(format!(
            "The number that does best by its mean |rank correlation| over data sets and metrics reaches {}.",
            said(&size, false)
        ));
    }
    found.grids.push(grid);
    Some(found)
}

/// The pairs of a number and a metric that are strong with one sign on every data set.
fn strong(grid: &Grid) -> Vec<String> {
    let (mut found, mut names): (Vec<String>, Vec<&Cell>) = Default::default();
    for row in &grid.rows {
        if !names.contains(&&row[1]) {
            names.push(&row[1]);
        }
    }
    for name in names {
        for (column, metric) in grid.head.iter().enumerate().skip(2) {
            let cells = grid.rows.iter().filter(|row| row[1] == *name).map(|row| &row[column]);
            let ranks: Vec<Estimate> = cells.filter_map(Cell::found).collect();
            let one_sign = ranks.iter().all(|rank| rank.is_above(STRONG))
                || ranks.iter().all(|rank| rank.is_below(-STRONG));
            if !ranks.is_empty() && one_sign {
                found.push(format!("{} with {metric}", name.text()));
            }
        }
    }
    found
}

/// The largest |mean rank correlation| of a number over data sets and metrics: of one sign, as one must choose by it.
pub(super) fn best(subject: &Subject) -> Option<Estimate> {
    let models = subject.models;
    let scores = models.scores();
    let pairs_of = |one| -> Vec<Pairs> {
        let of = |data| scores.iter().map(move |score| models.pairs(data, [one, score]));
        (0..models.data.len()).flat_map(of).collect()
    };
    let all: Vec<Vec<Pairs>> = models.unsupervised().iter().map(pairs_of).collect();
    let largest = |weights: &[f64]| {
        let sizes = all.iter().filter_map(|pairs| mean_spearman(pairs, weights)).map(f64::abs);
        sizes.max_by(f64::total_cmp)
    };
    subject.once("a6", || estimate(models.seeds.len(), [0.0, 1.0], &subject.rng, largest))
}
