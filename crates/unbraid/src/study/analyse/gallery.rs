//! A12: what the best, the middle and the worst model of each data set look like.

use super::finding::{Drawn, Finding, Picture};
use super::measures::Measure;
use super::models::Model;
use super::{Analysis, Subject, file_name};
use crate::error::Result;
use crate::figures::traverse::{self, Route, Span};
use crate::run::TrainedRun;
use crate::study::Study;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A12",
    title: "Best, middle and worst",
    about: "Traversals of the models with the best, the median and the worst score on each data set: each column changes one latent, the others \
            stay. Only where the runs of the study are here.",
    find,
};

/// Rows by which the range of latents is known.
const ROWS: usize = 1000;

fn find(subject: &Subject) -> Option<Finding> {
    let study = subject.study?;
    let models = subject.models;
    let scores = models.scores();
    let shown = scores.iter().find(|measure| measure.title == "DCI").unwrap_or(&scores[0]);
    let mut found = Finding::default();
    for (data, name) in models.data.iter().enumerate() {
        let mut order: Vec<(&Model, f64)> = models.having(data, shown).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        if order.is_empty() {
            continue;
        }
        for (words, place) in [("best", 0), ("middle", order.len() / 2), ("worst", order.len() - 1)]
        {
            let (model, score) = order[place];
            let title = format!(
                "{name}, {words} by {}: {}, seed {}, {score:.3}",
                shown.title,
                models.choice_name(models.choice(model)),
                models.seeds[model.seed],
            );
            match sheet(subject, study, &model.run, &title) {
                Ok(Some(drawn)) => found.pictures.push(Picture {
                    name: file_name(&["a12", name, words]),
                    caption: format!("{title} (run {}).", model.run),
                    drawn,
                }),
                Ok(None) => {}
                // The page is whole without it.
                Err(error) => {
                    subject.watch.note(&format!("no traversal of {}: {error}", model.run));
                }
            }
        }
    }
    found.said.push(said(shown));
    (!found.pictures.is_empty()).then_some(found)
}

fn said(shown: &Measure) -> String {
    format!("Models are ordered by {}.", shown.title)
}

/// The traversal of a run, if its directory is here.
fn sheet(subject: &Subject, study: &Study, run: &str, title: &str) -> Result<Option<Drawn>> {
    let Some(planned) = study.runs.iter().find(|planned| planned.name == run) else {
        return Ok(None);
    };
    let directory = study.directory_of(planned);
    if !directory.is_dir() {
        return Ok(None);
    }
    let trained = TrainedRun::open(directory)?;
    let data = &trained.plan().data;
    let codes = trained.encode(None, Some(ROWS.min(data.len())), subject.watch)?;
    let route = Route::for_a_sheet(codes.rows() / 2, Span::default());
    let walks = traverse::walks(trained.learner(), &codes, &route)?;
    let sheet = traverse::sheet(&walks, data.shape(), title.to_string())?;
    Ok(Some(Drawn::Pixels(sheet.draw())))
}
