//! A10: do models with better scores do better on the downstream task?

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::pictures::Map;
use super::statistics::{Estimate, estimate, mean};
use super::{Analysis, Subject, file_name, titles};
use crate::error::Result;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A10",
    title: "The downstream task",
    about: "The task is to tell each factor from the codes, with logistic regression (LR) or boosted trees (GBT) and 10 to 10,000 labelled rows. \
            Spearman's rank correlation of its mean test accuracy with the metrics, over all models of a data set: the paper's figure 5. \
            Efficiency is the accuracy with 100 rows divided by that with 10,000.",
    find,
};

fn find(subject: &Subject) -> Result<Option<Finding>> {
    let models = subject.models;
    let (scores, tasks) = (models.scores(), models.downstream());
    if tasks.is_empty() {
        return Ok(None);
    }
    let mut found = Finding::default();
    let (rows, columns) = (titles(&scores), titles(&tasks));
    let mut grid = Grid::new(
        "a10-downstream",
        "Rank correlation with the downstream task",
        &["data", "metric"],
    )
    .and(&columns);
    let even = vec![1.0; models.seeds.len()];
    for (data, name) in models.data.iter().enumerate() {
        for score in &scores {
            let cell = |task| {
                let of = |weights: &[f64]| models.correlation(data, [score, task], weights);
                Cell::estimate(estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, of))
            };
            let row =
                [name, &score.title].map(Cell::words).into_iter().chain(tasks.iter().map(cell));
            grid.rows.push(row.collect());
        }
        let row = |score| {
            tasks.iter().map(|task| models.correlation(data, [score, task], &even)).collect()
        };
        let title = format!("Metrics against the downstream task on {name}: rank correlation, %");
        let map = Map {
            title: &title,
            rows: &rows,
            columns: &columns,
            cells: scores.iter().map(row).collect(),
        };
        found.pictures.push(Picture {
            name: file_name(&["a10", name]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(map.draw()),
        });
    }
    for (words, efficient) in [("accuracy", false), ("efficiency", true)] {
        if let Some(rank) = overall(subject, efficient) {
            found.said.push(format!(
                "The mean rank correlation of metrics with {words} is {} over data sets, metrics and predictors.",
                said(&rank, false)
            ));
        }
    }
    found.grids.push(grid);
    Ok(Some(found))
}

/// The mean rank correlation of metrics with accuracies, or with efficiencies.
pub(super) fn overall(subject: &Subject, efficient: bool) -> Option<Estimate> {
    let models = subject.models;
    let (scores, mut tasks) = (models.scores(), models.downstream());
    tasks.retain(|task| task.title.starts_with("Efficiency") == efficient);
    estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, |weights| {
        let mut all = Vec::new();
        for data in 0..models.data.len() {
            for score in &scores {
                let ranks = tasks
                    .iter()
                    .filter_map(|task| models.correlation(data, [score, task], weights));
                all.extend(ranks.map(|rank| (rank, 1.0)));
            }
        }
        mean(&all)
    })
}
