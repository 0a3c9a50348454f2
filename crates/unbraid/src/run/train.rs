//! Training: the loop, read top to bottom.
//!
//! Every random number of a step is a function of the seed, its purpose and the number of the step,
//! so the only state is the weights, the optimiser and a count. A run that was killed and resumed
//! ends with the same weights and the same log, byte for byte, as one that was not.

use std::fmt;

use unbraid_measure::Error as MeasureError;
use unbraid_measure::data::Dataset;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Progress, Watch};

use super::base::Base;
use super::chance::Accuracy;
use super::directory::Run;
use super::glimpse::Glimpses;
use super::pictures::draw_training;
use super::plan::Plan;
use super::tensorboard::Board;
use super::{card, files, first_loss};
use crate::compute::workers::on_workers;
use crate::error::{Error, Result};
use crate::figures::{training, traverse};
use crate::model::Step;
use crate::model::learner::{Learner, Term, Terms};

/// How training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every step was taken.
    Finished,
    /// It was asked to stop after this many steps, and can go on from there.
    Interrupted(u64),
}

/// Train, or go on training, in this run directory. When `watch` asks to stop, a checkpoint is written
/// and training ends. The threads are those of rayon's global pool: a program
/// sets them once, before (`train.threads` is what ours was started with).
///
/// Refused while another process trains or scores there.
pub fn train(run: &Run, plan: &Plan, watch: &dyn Watch) -> Result<Ending> {
    let _lock = run.lock("training")?;
    let Some(first) = plan.base.as_ref().and_then(Base::own) else {
        return train_one(run, plan, watch);
    };
    // Two trainings, told as one.
    let before = first.config.train.steps;
    let all = before + plan.config.train.steps;
    let base = run.file(files::BASE);
    let base = match Run::exists(&base) {
        true => Run::open(base)?,
        false => Run::create(base, first)?,
    };
    match train_one(&base, first, &Shifted { watch, before: 0, all })? {
        Ending::Finished => Ok(match train_one(run, plan, &Shifted { watch, before, all })? {
            Ending::Finished => Ending::Finished,
            Ending::Interrupted(done) => Ending::Interrupted(before + done),
        }),
        interrupted @ Ending::Interrupted(_) => Ok(interrupted),
    }
}

/// A watch on one of several trainings in a row.
struct Shifted<'a> {
    watch: &'a dyn Watch,
    /// The steps of those before.
    before: u64,
    /// The steps of all.
    all: u64,
}

impl Watch for Shifted<'_> {
    fn progress(&self, now: &Progress) {
        let steps = now.steps.map(|[done, _]| [self.before + done, self.all]);
        let share = steps.map_or(now.share, |[done, all]| done as f64 / all as f64);
        self.watch.progress(&Progress { share, steps, ..*now });
    }

    fn note(&self, text: &str) {
        self.watch.note(text);
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}

fn train_one(run: &Run, plan: &Plan, watch: &dyn Watch) -> Result<Ending> {
    run.sweep();
    let finished = run.is_finished()?;
    let ending = match finished {
        // Saving it again would forget its scores.
        true => Ending::Finished,
        false => on_workers(|| train_here(run, plan, watch))?,
    };
    // A finished run may have been killed between its last step and this.
    let missing = !run.file(training::FIGURE.name()).is_file();
    if ending == Ending::Finished && (missing || !finished) {
        draw_log(run, plan, watch);
    }
    if ending == Ending::Finished {
        // Also of a run that was killed before it.
        card::write(run, plan)?;
    }
    Ok(ending)
}

fn train_here(run: &Run, plan: &Plan, watch: &dyn Watch) -> Result<Ending> {
    let settings = &plan.config.train;
    let rng = Rng::new(plan.config.seed);
    let noise = rng.split("noise");
    let mut learner = plan.build(run.directory(), &rng.split("weights"))?;
    learner.optimize_by(settings.optimizer);

    let mut done = run.restore(&mut *learner, watch)?;
    if done == 0 {
        match learner.fit(&*plan.data, &rng.split("fit"), watch) {
            // It begins anew when it goes on.
            Err(Error::Measure(MeasureError::Stopped)) => return Ok(Ending::Interrupted(0)),
            fitted => fitted?,
        }
    }
    let encoded = match learner.encoded(&*plan.data, watch) {
        Err(Error::Measure(MeasureError::Stopped)) => return Ok(Ending::Interrupted(done)),
        encoded => encoded?,
    };
    let seen: &dyn Dataset = encoded.as_deref().unwrap_or(&*plan.data);
    let sampler = plan.sampler_of(seen, rng.split("batches"))?;
    let mut log = run.log()?;
    let mut board = Board::open(&run.file(files::TENSORBOARD), done)?;

    let glimpses = Glimpses::of(plan, &rng.split("glimpses"));

    let (mut saved, mut kept, mut found) = (false, done, None);
    let mut accuracy = Accuracy::default();
    while done < settings.steps {
        let draw = sampler.draw(done, settings.batch);
        let step = Step::new(done, settings.steps, &noise);
        let rate = settings.learning_rate.at(&step);
        let mut terms = match encoded.is_some() {
            true => learner.step_on_encoded(&draw, step, rate),
            false => learner.step(&draw, step, rate),
        };
        // First, since numbers that overflow have a cause which it names.
        if done == 0 && encoded.is_none() {
            first_loss::check(&terms, &*learner, &*plan.data)?;
        }
        check_finite(run, done, &terms)?;
        done += 1;
        accuracy.see([done, settings.steps], &terms, &*plan.data);

        let last = done == settings.steps;
        if last {
            let rng = rng.split("finish");
            let drawn = plan.binarized(rng.split("binarize"));
            let data: &dyn Dataset = drawn.as_ref().map_or(&*plan.data, |drawn| drawn);
            match learner.finish(data, &rng, watch) {
                // The last step is taken again when it goes on.
                Err(Error::Measure(MeasureError::Stopped)) => return Ok(Ending::Interrupted(kept)),
                finished => finished?,
            }
        }
        if done == 1 || done % settings.log_every == 0 || last {
            if let Some(glimpses) = glimpses.as_ref().filter(|all| all.due(done, last)) {
                let seen = glimpses.look(&*learner);
                found = seen.first().cloned();
                terms.extend(seen);
            }
            log.row(done, &terms)?;
            board.scalars(done, &terms)?;
        }
        tell(watch, [done, settings.steps], &terms, found.as_ref());
        let on = !watch.stopped();
        saved = done % settings.checkpoint_every == 0 || !on || last;
        if saved {
            run.save(&*learner, done, Some(&log.mark()?))?;
            kept = done;
            picture(&mut board, &*learner, plan, done)?;
        }
        if !on && !last {
            return Ok(Ending::Interrupted(done));
        }
    }
    if let Some(remark) = accuracy.remark(settings.batch) {
        watch.note(&format!("warning: {remark}"));
    }
    // A baseline has not passed through the loop, nor has a run that was killed at the very end.
    if !saved {
        run.save(&*learner, done, Some(&log.mark()?))?;
    }
    Ok(Ending::Finished)
}

/// Draw the log. The run is whole without it, so a failure is told and no more.
fn draw_log(run: &Run, plan: &Plan, watch: &dyn Watch) {
    if let Err(error) = draw_training(run, plan) {
        watch.note(&format!("the training is not drawn: {error}"));
    }
}

/// The terms of a step, and what the last look found.
fn tell(watch: &dyn Watch, steps: [u64; 2], terms: &Terms, found: Option<&Term>) {
    let share = steps[0] as f64 / steps[1] as f64;
    let message = &Summary(terms, found);
    watch.progress(&Progress { stage: "training", share, steps: Some(steps), message });
}

/// The terms of a step in a line, without those of single latents.
struct Summary<'a>(&'a Terms, Option<&'a Term>);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.iter().filter(|(name, _)| !name.contains('/') && name != "found");
        for (k, (name, value)) in shown.chain(self.1).enumerate() {
            write!(f, "{}{name} {value:.2}", if k == 0 { "" } else { "  " })?;
        }
        Ok(())
    }
}

/// Stop at the first term that is no number. `loss` comes first in the list but is only the sum, so
/// the term that broke it is named before it.
fn check_finite(run: &Run, step: u64, terms: &Terms) -> Result<()> {
    // The last of the summands: the loss before them is a sum, and `kl/3` after them a part.
    let whole = terms.iter().filter(|(name, _)| !name.contains('/'));
    let broken = whole.rev().find(|(_, value)| !value.is_finite());
    match broken {
        None => Ok(()),
        Some((term, value)) => Err(Error::NotFinite {
            step: step + 1,
            term: term.to_string(),
            value: *value,
            kept: run.kept(),
        }),
    }
}

/// A small traversal for TensorBoard, where the method decodes images.
fn picture(board: &mut Board, learner: &dyn Learner, plan: &Plan, done: u64) -> Result<()> {
    match traverse::thumbnail(learner, &*plan.data) {
        Some(image) => board.image(done, "traversal", &image),
        None => Ok(()),
    }
}
