//! A11: does a disentangled representation need fewer labelled rows?

use super::finding::{Cell, Drawn, Finding, Grid, Picture};
use super::measures::Measure;
use super::models::Models;
use super::pictures::{Content, Panels};
use super::statistics::Estimate;
use super::{Analysis, Subject};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A11",
    title: "Sample efficiency",
    about: "Efficiency with boosted trees (accuracy with 100 rows divided by that with 10,000) against a score, a dot for each model: the paper's \
            figure 6 shows the FactorVAE score. The table has Spearman's rank correlation with every metric.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let efficiency = models.efficiency("GBT").or_else(|| models.efficiency("LR"))?;
    let scores = models.scores();
    let shown = scores.iter().find(|measure| measure.title == "FactorVAE").unwrap_or(&scores[0]);
    let mut found = Finding::default();
    let title = format!("Rank correlation of metrics with {}", efficiency.title.to_lowercase());
    let mut grid = Grid::new("a11-efficiency", title, &["metric"]).and(models.data.iter());
    for score in &scores {
        let cell = |data| Cell::estimate(subject.rank(&models.pairs(data, [score, &efficiency])));
        let row = (0..models.data.len()).map(cell);
        grid.rows.push(std::iter::once(Cell::words(&score.title)).chain(row).collect());
    }
    let ranks: Vec<Estimate> = grid.rows.iter().flatten().filter_map(Cell::found).collect();
    found.said.push(format!(
        "Of {} pairs of a data set and a metric, {} have an interval above zero, {} below; with the others efficiency does not \
         clearly change.",
        ranks.len(),
        ranks.iter().filter(|rank| rank.is_above(0.0)).count(),
        ranks.iter().filter(|rank| rank.is_below(0.0)).count()
    ));
    found.grids.push(grid);
    found.pictures.push(draw(models, [shown, &efficiency]));
    Some(found)
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
        Panels { title: &title, contents: panels, below: &score.title, legend: &models.methods }
            .draw();
    Picture {
        name: "a11-efficiency".into(),
        caption: format!("{title}. A dot is a model."),
        drawn: Drawn::Marks(drawn),
    }
}
