//! A6: can a model be chosen without labels? What is known without them, beside the scores that need them.

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::measures::Measure;
use super::pictures::Map;
use super::statistics::{Estimate, estimate, mean};
use super::{Analysis, Subject, file_name, titles};
use crate::error::Result;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A6",
    title: "Scores without labels",
    about: "Spearman's rank correlation of what is known without labels (terms of the loss over the last tenth of the training, dependence \
            of the codes) with the metrics, over all models of a data set. To choose a model by such a number, the correlation must be \
            strong, and its sign the same everywhere. Less is better of reconstruction, KL and −ELBO.",
    find,
};

fn find(subject: &Subject) -> Result<Option<Finding>> {
    let models = subject.models;
    let (scores, known) = (models.scores(), models.unsupervised());
    if known.is_empty() {
        return Ok(None);
    }
    let mut found = Finding::default();
    let (rows, columns) = (titles(&known), titles(&scores));
    let mut grid =
        Grid::new("a6-unsupervised", "Rank correlation with metrics", &["data", "without labels"])
            .and(&columns);
    let even = vec![1.0; models.seeds.len()];
    for (data, name) in models.data.iter().enumerate() {
        for one in &known {
            let cell = |score| {
                let of = |weights: &[f64]| models.correlation(data, [one, score], weights);
                Cell::estimate(estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, of))
            };
            let row =
                [name, &one.title].map(Cell::words).into_iter().chain(scores.iter().map(cell));
            grid.rows.push(row.collect());
        }
        let row = |one| {
            scores.iter().map(|score| models.correlation(data, [one, score], &even)).collect()
        };
        let title =
            format!("Known without labels, against metrics, on {name}: rank correlation, %");
        let map = Map {
            title: &title,
            rows: &rows,
            columns: &columns,
            cells: known.iter().map(row).collect(),
        };
        found.pictures.push(Picture {
            name: file_name(&["a6", name]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(map.draw()),
        });
    }
    let cells = || grid.rows.iter().map(|row| &row[2..]);
    let one_sign = |column: usize, row: &str| {
        let of_row = grid.rows.iter().filter(|cells| cells[1] == Cell::words(row));
        let estimates: Vec<&Estimate> = of_row
            .filter_map(|cells| match &cells[column] {
                Cell::Estimate { found, .. } => Some(found),
                _ => None,
            })
            .collect();
        !estimates.is_empty()
            && (estimates.iter().all(|one| one.is_above(0.5))
                || estimates.iter().all(|one| one.is_below(-0.5)))
    };
    let strong: Vec<String> = rows
        .iter()
        .flat_map(|row| (0..columns.len()).filter(|k| one_sign(k + 2, row)).map(move |k| (row, k)))
        .map(|(row, k)| format!("{row} with {}", columns[k]))
        .collect();
    let count = cells().next().map_or(0, <[Cell]>::len) * rows.len();
    found.said.push(match &strong[..] {
        [] => format!("None of {count} pairs of a number and a metric has intervals beyond ±0.5 with one sign on every data set."),
        some => format!(
            "{} of {count} pairs of a number and a metric have intervals beyond ±0.5 with one sign on every data set: {}.",
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
    Ok(Some(found))
}

/// The largest |mean rank correlation| of a number over data sets and metrics: of one sign, as one must choose by it.
pub(super) fn best(subject: &Subject) -> Option<Estimate> {
    let models = subject.models;
    let (scores, known) = (models.scores(), models.unsupervised());
    let of = |one: &Measure, weights: &[f64]| {
        let pairs =
            (0..models.data.len()).flat_map(|data| scores.iter().map(move |score| (data, score)));
        let ranks =
            pairs.filter_map(|(data, score)| models.correlation(data, [one, score], weights));
        mean(&ranks.map(|rank| (rank, 1.0)).collect::<Vec<_>>())
    };
    estimate(models.seeds.len(), [0.0, 1.0], &subject.rng, |weights| {
        known.iter().filter_map(|one| of(one, weights)).map(f64::abs).max_by(f64::total_cmp)
    })
}
