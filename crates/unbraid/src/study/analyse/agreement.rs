//! A4: do metrics agree on which models are better?

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::pictures::Map;
use super::statistics::{Estimate, estimate, mean};
use super::{Analysis, Subject, file_name, titles};
use crate::error::Result;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A4",
    title: "Agreement of metrics",
    about: "Spearman's rank correlation of two metrics over all models of a data set, in percent: the paper's figure 2.",
    find,
};

fn find(subject: &Subject) -> Result<Option<Finding>> {
    let models = subject.models;
    let scores = models.scores();
    if scores.len() < 2 {
        return Ok(None);
    }
    let (mut found, names) = (Finding::default(), titles(&scores));
    let mut grid = Grid::new("a4-agreement", "Rank correlation of metrics", &["one", "other"])
        .and(models.data.iter());
    for (k, one) in scores.iter().enumerate() {
        for other in &scores[k + 1..] {
            let mut row = vec![Cell::words(&one.title), Cell::words(&other.title)];
            row.extend((0..models.data.len()).map(|data| {
                let of = |weights: &[f64]| models.correlation(data, [one, other], weights);
                Cell::estimate(estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, of))
            }));
            grid.rows.push(row);
        }
    }
    let even = vec![1.0; models.seeds.len()];
    for (data, name) in models.data.iter().enumerate() {
        let row = |one| {
            scores.iter().map(|other| models.correlation(data, [one, other], &even)).collect()
        };
        let title = format!("Rank correlation of metrics on {name}, %");
        let map = Map {
            title: &title,
            rows: &names,
            columns: &names,
            cells: scores.iter().map(row).collect(),
        };
        found.pictures.push(Picture {
            name: file_name(&["a4", name]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(map.draw()),
        });
    }
    for (words, pairs) in GROUPS {
        if let Some(rank) = among(subject, pairs) {
            found.said.push(format!("{words}: {} on average over data sets.", said(&rank, false)));
        }
    }
    found.grids.push(grid);
    Ok(Some(found))
}

/// Pairs of metrics that the paper speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// BetaVAE with FactorVAE, and MIG with DCI.
    Alike,
    /// Every other pair without Modularity.
    Other,
    /// Modularity with any other.
    Modularity,
}

const GROUPS: [(&str, Pairs); 3] = [
    (
        "BetaVAE with FactorVAE and MIG with DCI, which the paper finds strongly correlated",
        Pairs::Alike,
    ),
    ("Other pairs without Modularity, mildly correlated in the paper", Pairs::Other),
    ("Modularity with the others, not correlated in the paper", Pairs::Modularity),
];

/// The mean rank correlation over data sets and these pairs of metrics.
pub(super) fn among(subject: &Subject, pairs: Pairs) -> Option<Estimate> {
    let models = subject.models;
    let scores = models.scores();
    let group = |a: &str, b: &str| match [a, b] {
        ["Modularity", _] | [_, "Modularity"] => Pairs::Modularity,
        ["BetaVAE", "FactorVAE"] | ["MIG", "DCI"] => Pairs::Alike,
        _ => Pairs::Other,
    };
    estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, |weights| {
        let mut all = Vec::new();
        for data in 0..models.data.len() {
            for (k, one) in scores.iter().enumerate() {
                let others =
                    scores[k + 1..].iter().filter(|other| group(&one.title, &other.title) == pairs);
                let ranks =
                    others.filter_map(|other| models.correlation(data, [one, other], weights));
                all.extend(ranks.map(|rank| (rank, 1.0)));
            }
        }
        mean(&all)
    })
}
