//! A11: does a disentangled representation need fewer labelled rows?

use super::finding::{Cell, Drawn, Finding, Grid, Picture};
use super::measures::Measure;
use super::models::Models;
use super::pictures::{Content, Panels};
use super::statistics::{Estimate, estimate};
use super::{Analysis, Subject};
use crate::error::Result;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A11",
    title: "Sample efficiency",
    about: "Efficiency with boosted trees (accuracy with 100 rows divided by that with 10,000) against a score, a dot for each model: the paper's \
            figure 6 shows the FactorVAE score. The table has Spearman's rank correlation with every metric.",
    find,
};

fn find(subject: &Subject) -> Result<Option<Finding>> {
    let models = subject.models;
    let Some(efficiency) = models.efficiency("GBT").or_else(|| models.efficiency("LR")) else {
        return Ok(None);
    };
    let scores = models.scores();
    let shown = scores.iter().find(|measure| measure.title == "FactorVAE").unwrap_or(&scores[0]);
    let mut found = Finding::default();
    let title = format!("Rank correlation of metrics with {}", efficiency.title.to_lowercase());
    let mut grid = Grid::new("a11-efficiency", title, &["metric"]).and(models.data.iter());
    for score in &scores {
        let cell = |data| Cell::estimate(rank(subject, data, [score, &efficiency]));
        let row = (0..models.data.len()).map(cell);
        grid.rows.push(std::iter::once(Cell::words(&score.title)).chain(row).collect());
    }
    let signs = signs(subject, &efficiency, &scores);
    found.said.push(format!(
        "Of {} pairs of a data set and a metric, {} have an interval above zero, {} below; with the others efficiency does not \
         clearly change.",
        signs.pairs, signs.above, signs.below
    ));
    found.grids.push(grid);
    found.pictures.push(draw(models, [shown, &efficiency]));
    Ok(Some(found))
}

/// How many pairs of a data set and a metric have an interval on one side of zero.
pub(super) struct Signs {
    pub(super) pairs: usize,
    pub(super) above: usize,
    pub(super) below: usize,
}

/// Of metrics with efficiency.
pub(super) fn signs(subject: &Subject, efficiency: &Measure, scores: &[Measure]) -> Signs {
    let sets = 0..subject.models.data.len();
    let ranks: Vec<Estimate> = sets
        .flat_map(|data| scores.iter().map(move |score| (data, score)))
        .filter_map(|(data, score)| rank(subject, data, [score, efficiency]))
        .collect();
    Signs {
        pairs: ranks.len(),
        above: ranks.iter().filter(|rank| rank.is_above(0.0)).count(),
        below: ranks.iter().filter(|rank| rank.is_below(0.0)).count(),
    }
}

fn rank(subject: &Subject, data: usize, pair: [&Measure; 2]) -> Option<Estimate> {
    let models = subject.models;
    estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, |weights| {
        models.correlation(data, pair, weights)
    })
}

/// A panel for each data set.
fn draw(models: &Models, [score, efficiency]: [&Measure; 2]) -> Picture {
    let panel = |(data, name): (usize, &String)| {
        let dot = |model: &super::models::Model| {
            Some((model.method, score.of(model)?, efficiency.of(model)?))
        };
        let dots = models.on(data).filter_map(dot).collect();
        (name.clone(), Content::Dots { dots, logarithmic: false, identity: false })
    };
    let title = format!("{} against {}", efficiency.title, score.title);
    let panels = models.data.iter().enumerate().map(panel).collect();
    let drawn =
        Panels { title: &title, panels, below: &score.title, legend: &models.methods }.draw();
    Picture {
        name: "a11-efficiency".into(),
        caption: format!("{title}. A dot is a model."),
        drawn: Drawn::Marks(drawn),
    }
}
