//! A4: do metrics agree on which models are better?

use super::crossed::Crossed;
use super::finding::{Cell, Finding, Grid, said};
use super::statistics::{Estimate, Pairs};
use super::{Analysis, Subject};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A4",
    title: "Agreement of metrics",
    about: "Spearman's rank correlation of two metrics over all models of a data set, in percent: the paper's figure 2.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let scores = models.scores();
    if scores.len() < 2 {
        return None;
    }
    let mut found = Finding::default();
    let mut grid = Grid::new("a4-agreement", "Rank correlation of metrics", &["one", "other"])
        .and(models.data.iter());
    for (k, one) in scores.iter().enumerate() {
        for other in &scores[k + 1..] {
            let cell = |data| Cell::estimate(subject.rank(&models.pairs(data, [one, other])));
            let words = [&one.title, &other.title].map(Cell::words);
            grid.rows.push(words.into_iter().chain((0..models.data.len()).map(cell)).collect());
        }
    }
    found.grids.push(grid);
    let crossed =
        Crossed { id: "a4", title: "Metrics", of: "metric", rows: &scores, columns: &scores };
    found.pictures = crossed.maps(subject);
    for (words, group) in GROUPS {
        if let Some(rank) = among(subject, group) {
            found.said.push(format!("{words}: {} on average over data sets.", said(&rank, false)));
        }
    }
    Some(found)
}

/// Pairs of metrics that the paper speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// BetaVAE with FactorVAE, and MIG with DCI.
    Alike,
    /// Every other pair without Modularity.
    Other,
    /// Modularity with any other.
    Modularity,
}

const GROUPS: [(&str, Group); 3] = [
    (
        "BetaVAE with FactorVAE and MIG with DCI, which the paper finds strongly correlated",
        Group::Alike,
    ),
    ("Other pairs without Modularity, mildly correlated in the paper", Group::Other),
    ("Modularity with the others, not correlated in the paper", Group::Modularity),
];

impl Group {
    fn of(a: &str, b: &str) -> Self {
        match [a, b] {
            ["Modularity", _] | [_, "Modularity"] => Self::Modularity,
            ["BetaVAE", "FactorVAE"] | ["MIG", "DCI"] => Self::Alike,
            _ => Self::Other,
        }
    }
}

/// The mean rank correlation over data sets and the pairs of metrics of a group.
pub(super) fn among(subject: &Subject, group: Group) -> Option<Estimate> {
    let models = subject.models;
    let scores = models.scores();
    let mut all: Vec<Pairs> = Vec::new();
    for data in 0..models.data.len() {
        for (k, one) in scores.iter().enumerate() {
            let others = scores[k + 1..].iter();
            let others = others.filter(|other| Group::of(&one.title, &other.title) == group);
            all.extend(others.map(|other| models.pairs(data, [one, other])));
        }
    }
    subject.once(&format!("a4 {group:?}"), || subject.mean_rank(&all))
}
