//! A13: unsupervised disentanglement ranking (UDR): do models that agree over seeds have better scores?

use std::collections::BTreeMap;

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::measures::Measure;
use super::models::{Model, Models};
use super::pictures::{Content, Panels};
use super::statistics::{Pairs, quantile};
use super::{Analysis, Subject, titles};
use crate::study::choose::UDR_ROWS;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A13",
    title: "UDR",
    about: "How much the codes of a model agree with those of the same setting with other seeds (Duan et al. 2020), and Spearman's rank correlation of that \
            with the metrics over all models of a data set. Computed from the runs, where they are here, and kept in the study.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let known = known(subject);
    let udr = |model: &Model| known.get(&model.run).copied();
    if !models.all.iter().any(|model| udr(model).is_some()) {
        return None;
    }
    let scores = models.scores();
    let mut found = Finding::default();
    let mut grid = Grid::new("a13-udr", "Rank correlation of UDR with metrics", &["data"])
        .and(titles(&scores));
    let mut settings =
        Grid::new("a13-settings", "UDR by setting", &["data", "setting", "median UDR"])
            .and(titles(&scores));
    for (data, name) in models.data.iter().enumerate() {
        let cell = |score: &Measure| {
            let pair = |model: &Model| Some((udr(model)?, score.of(model)?, model.seed));
            let pairs = models.on(data).filter_map(pair).collect::<Vec<_>>();
            Cell::estimate(subject.rank(&Pairs::of(&pairs)))
        };
        let row: Vec<Cell> = scores.iter().map(cell).collect();
        if let (Some(Cell::Estimate { found: rank, .. }), Some(score)) =
            (row.first(), scores.first())
        {
            found.said.push(format!(
                "On {name}, UDR and {} have a rank correlation of {}.",
                score.title,
                said(rank, false)
            ));
        }
        grid.rows.push(std::iter::once(Cell::words(name)).chain(row).collect());
        settings.rows.extend(by_setting(models, data, &scores, &udr));
    }
    found.pictures.push(draw(models, &scores, &udr));
    found.grids.extend([grid, settings]);
    Some(found)
}

/// UDR by the name of the run, where the runs are here and some differ in nothing but their seed: the page is whole
/// without it.
fn known(subject: &Subject) -> BTreeMap<String, f64> {
    match subject.study.map(|study| study.udr(UDR_ROWS, subject.watch)) {
        None => BTreeMap::new(),
        Some(Ok(known)) => known,
        Some(Err(reason)) => {
            subject.watch.note(&format!("no UDR: {reason}"));
            BTreeMap::new()
        }
    }
}

/// The median UDR and the median scores of each setting.
fn by_setting(
    models: &Models,
    data: usize,
    scores: &[Measure],
    udr: &dyn Fn(&Model) -> Option<f64>,
) -> Vec<Vec<Cell>> {
    let row = |choice: usize| {
        let median = |of: &dyn Fn(&Model) -> Option<f64>| {
            let mine = models.on(data).filter(|model| models.choice(model) == choice);
            let values: Vec<f64> = mine.filter_map(of).collect();
            (!values.is_empty()).then(|| quantile(&values, 0.5))
        };
        median(udr).map(|ours| {
            let mut row =
                vec![Cell::words(&models.data[data]), Cell::words(models.choice_name(choice))];
            row.push(Cell::Number(ours));
            row.extend(scores.iter().map(|score| Cell::number(median(&|model| score.of(model)))));
            row
        })
    };
    (0..models.choices()).filter_map(row).collect()
}

fn draw(models: &Models, scores: &[Measure], udr: &dyn Fn(&Model) -> Option<f64>) -> Picture {
    let shown = scores.iter().find(|measure| measure.title == "DCI").unwrap_or(&scores[0]);
    let panel = |(data, name): (usize, &String)| {
        let dot = |model: &Model| Some((model.method, udr(model)?, shown.of(model)?));
        let dots = models.on(data).filter_map(dot).collect();
        (name.clone(), Content::Dots { dots, logarithmic: false, identity: false })
    };
    let title = format!("{} against UDR", shown.title);
    let panels = models.data.iter().enumerate().map(panel).collect();
    let drawn =
        Panels { title: &title, contents: panels, below: "UDR", legend: &models.methods }.draw();
    Picture {
        name: "a13-udr".into(),
        caption: format!("{title}. A dot is a model."),
        drawn: Drawn::Marks(drawn),
    }
}
