//! The figures of a trained run.

use std::path::{Path, PathBuf};

use unbraid_measure::data::{self, Dataset};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::card;
use super::directory::Run;
use super::files::GRAPH;
use super::plan::Plan;
use super::trained::TrainedRun;
use crate::error::{Error, Result};
use crate::figures::traverse::Span;
use crate::figures::{Command, Entry, FIGURES, Lazy, Section, Subject, training};
use crate::intervene::Concept;

/// Rows by which the range of each concept is known.
const RANGED: usize = 10_000;

/// How latents are walked.
#[derive(Clone, Debug, Default)]
pub struct Traversal {
    /// The row (of those that are scored) whose latents are walked; the middle one if left out.
    pub row: Option<usize>,
    /// From where to where.
    pub span: Span,
    /// Where the sheet goes, if not into the run directory.
    pub out: Option<PathBuf>,
}

impl TrainedRun {
    /// Draw what each code does, and the other figures of `unbraid traverse`; returns their files.
    pub fn traverse(&self, how: &Traversal, watch: &dyn Watch) -> Result<Vec<PathBuf>> {
        let codes = self.scored_codes(watch)?;
        if how.row.is_some_and(|row| row >= codes.rows()) {
            let reason = format!("there are {} rows; --row counts from 0", codes.rows());
            return Err(Error::Unable(reason));
        }
        // Asked for by name, so not a thing to be left out.
        how.span.check(&codes)?;
        let (files, left_out) = self.with_subject(Some(codes), watch, |subject| {
            (subject.row, subject.span) = (how.row, how.span);
            self.draw(subject, Command::Traverse, how.out.as_deref())
        })?;
        if files.is_empty() {
            return Err(Error::Unable(left_out.join("; ")));
        }
        for reason in left_out {
            watch.note(&format!("left out: {reason}"));
        }
        card::write(self.run(), self.plan())?;
        Ok(files)
    }

    /// Draw the figures of a command; the files that were made, and why others were not.
    pub(super) fn draw(
        &self,
        subject: &Subject,
        command: Command,
        out: Option<&Path>,
    ) -> Result<(Vec<PathBuf>, Vec<String>)> {
        let mut out = out;
        // One that cannot be has a reason to be told only if nothing of its part of the page can be.
        let of = |figure: &&Entry| figure.command == command;
        let drawable = |section| {
            FIGURES.iter().filter(of).any(|one| one.section == section && (one.possible)(subject))
        };
        let figures = FIGURES
            .iter()
            .filter(of)
            .filter(|figure| (figure.possible)(subject) || !drawable(figure.section))
            .filter(|figure| figure.section != Section::Alone || (figure.possible)(subject));
        // The first figure of a command is the one that may go elsewhere.
        save_all(figures, |figure| figure.save(subject, self.run().directory(), out.take()))
    }

    /// Draw every figure that is not there and that this run may have; the others stay as somebody
    /// wanted them. Says whether any was drawn.
    pub fn draw_missing(
        &self,
        codes: Option<Representation<'static>>,
        watch: &dyn Watch,
    ) -> Result<bool> {
        let directory = self.run().directory();
        self.with_subject(codes, watch, |subject| {
            let there = |figure: &Entry| {
                // Its figure alone is half of the graph.
                let numbers = figure.command != Command::Graph || self.run().file(GRAPH).is_file();
                figure.files.iter().all(|(name, _)| directory.join(name).is_file()) && numbers
            };
            let missing =
                FIGURES.iter().filter(|figure| !there(figure) && (figure.possible)(subject));
            let made = save_all(missing, |figure| match figure.save(subject, directory, None) {
                // The page is whole without it.
                Err(error) if figure.command == Command::Train => {
                    watch.note(&format!("the training is not drawn: {error}"));
                    Ok(vec![])
                }
                made => made,
            });
            Ok(!made?.0.is_empty())
        })
    }

    /// What figures are drawn from; codes if they are there already.
    pub(super) fn with_subject<T>(
        &self,
        codes: Option<Representation<'static>>,
        watch: &dyn Watch,
        work: impl FnOnce(&mut Subject) -> Result<T>,
    ) -> Result<T> {
        let plan = self.plan();
        let (log, tested) = (self.run().log_rows()?, self.tested()?);
        let encode = || self.scored_codes(watch);
        let graph = || self.learned_graph(watch);
        let concepts = || concepts_of(tested, plan.config.seed);
        let mut subject = Subject {
            names: [plan.entry.info.title, plan.config.data_title()],
            own: plan.config.has_own_data(),
            seed: plan.config.seed,
            learner: self.learner(),
            data: &*plan.data,
            tested,
            log: &log,
            codes: Lazy::new(&encode),
            graph: Lazy::new(&graph),
            concepts: Lazy::new(&concepts),
            row: None,
            span: Span::default(),
        };
        if let Some(codes) = codes {
            subject.codes.set(codes);
        }
        work(&mut subject)
    }
}

/// The concepts of data, with the values they have there.
pub(super) fn concepts_of(data: &dyn Dataset, seed: u64) -> Result<Vec<Concept>> {
    let rng = Rng::new(seed).split("concepts");
    Concept::all(data, &data::labelled_rows(data, RANGED, &rng))
}

/// Draw the log of a run, before its model is opened; whether there is anything to draw.
pub(super) fn draw_training(run: &Run, plan: &Plan) -> Result<bool> {
    let names = [plan.entry.info.title, plan.config.data_title()];
    match training::drawn(&run.log_rows()?, names) {
        Some(drawing) => drawing.save(&run.file(training::FIGURE.name())).map(|()| true),
        None => Ok(false),
    }
}

/// The files that were made, and why others were not.
fn save_all<'f>(
    figures: impl Iterator<Item = &'f Entry>,
    mut save: impl FnMut(&Entry) -> Result<Vec<PathBuf>>,
) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    for figure in figures {
        match save(figure) {
            Ok(made) => files.extend(made),
            Err(Error::Unable(reason)) if !left_out.contains(&reason) => left_out.push(reason),
            Err(Error::Unable(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok((files, left_out))
}
