//! A scene made ready: what is there before it, and what must be there after it. Then whatever happens to it is judged.

use std::collections::BTreeSet;
use std::fs;

use super::program::{Ended, How, Program, Words};
use super::results::{self, Results};
use super::scenes::Scene;
use super::shim::Plan;
use super::trace::Record;
use super::tree::Tree;
use crate::Result;

/// How it went with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It ended with the bytes of an undisturbed one.
    Same,
    /// It was refused with a sentence.
    Refused(String),
    /// It looks finished and is not the same.
    Wrong(String),
    /// A command said that it was done, and then the power cut took what it had done.
    Lost(String),
    /// A panic, an endless wait, drafts that stay.
    Other(String),
}

/// A scene made ready.
pub(super) struct Stage<'a> {
    pub(super) scene: Scene,
    pub(super) program: &'a Program,
    /// What is there before.
    pub(super) before: Tree,
    /// The calls of the undisturbed command.
    pub(super) calls: Vec<Record>,
    /// How long it takes.
    pub(super) seconds: f64,
    /// The right results; more than one where it depends on who was first.
    expected: Vec<Results>,
    /// What a reader may see in between.
    glances: BTreeSet<Vec<u8>>,
}

impl<'a> Stage<'a> {
    /// Run everything undisturbed.
    pub(super) fn new(scene: Scene, program: &'a Program) -> Result<Self> {
        let before = prepare(&scene, program)?;
        let (calls, seconds, glances) = (vec![], 0.0, BTreeSet::new());
        let mut stage = Self { scene, program, before, calls, seconds, expected: vec![], glances };
        stage.look()?;
        program.run_with(&stage.scene.command, Plan::Trace)?;
        stage.calls = program.shim.records()?;
        // Timed without the shim, for kills at a share of it.
        stage.seconds = stage.finish(&stage.scene.command)?;
        stage.look()?;
        stage.expect()?;
        if let Some(other) = &stage.scene.or {
            stage.finish(other)?;
            stage.expect()?;
        }
        Ok(stage)
    }

    /// Run a command from the beginning to the end; the seconds that it takes.
    fn finish(&self, words: &Words) -> Result<f64> {
        self.reset()?;
        undisturbed(self.program, words)
    }

    /// Take what is there after a repetition as one of the right results.
    fn expect(&mut self) -> Result<()> {
        for words in &self.scene.again {
            undisturbed(self.program, words)?;
        }
        self.expected.push(results::of(&Tree::read(&self.program.place())?, &self.scene.results));
        Ok(())
    }

    /// Take what a reader sees now as one of what it may see.
    fn look(&mut self) -> Result<()> {
        if let Some(words) = &self.scene.glance {
            undisturbed(self.program, words)?;
            self.glances.extend(fs::read(self.program.root.join("glance.npz")));
        }
        Ok(())
    }

    /// Put everything back as it was before.
    pub(super) fn reset(&self) -> Result<()> {
        self.before.write(&self.program.place())
    }

    /// What differs now from what must be there in the end, some files apart.
    pub(super) fn difference(&self, apart: &[&str]) -> Result<Option<String>> {
        let found = results::of(&Tree::read(&self.program.place())?, &self.scene.results);
        let differs = |expected| results::difference(expected, &found, apart);
        let all: Vec<Option<String>> = self.expected.iter().map(differs).collect();
        Ok(match all.contains(&None) {
            true => None,
            false => Some(all.into_iter().flatten().collect::<Vec<_>>().join(", or else ")),
        })
    }

    /// Judge the end of a command that met a fault, then do it again and judge what is there. A command that was killed
    /// on purpose says nothing about itself.
    pub(super) fn judge(&self, faulted: &Ended) -> Result<Verdict> {
        if faulted.how != How::Killed {
            if let Some(what) = faulted.misbehaviour() {
                return Ok(Verdict::Other(what));
            }
            if faulted.is_done()
                && let Some(what) = self.difference(&self.scene.later)?
            {
                return Ok(Verdict::Wrong(format!("it said that it was done, and {what}")));
            }
        }
        self.repeat()
    }

    /// Do it again without faults, and judge.
    pub(super) fn repeat(&self) -> Result<Verdict> {
        self.repeat_apart_from(&[])
    }

    /// The same, but for the bytes of some files.
    pub(super) fn repeat_apart_from(&self, apart: &[&str]) -> Result<Verdict> {
        if let Some(verdict) = self.glance()? {
            return Ok(verdict);
        }
        for words in &self.scene.again {
            let ended = self.program.run(words)?;
            if let Some(what) = ended.misbehaviour() {
                return Ok(Verdict::Other(format!("`{}` afterwards: {what}", words.join(" "))));
            }
            if let Some(sentence) = ended.refusal() {
                return Ok(Verdict::Refused(sentence.into()));
            }
        }
        if let Some(what) = self.difference(apart)? {
            return Ok(Verdict::Wrong(what));
        }
        let left = Tree::read(&self.program.place())?;
        Ok(match results::litter(&left).filter(|_| self.scene.tidy) {
            Some(path) => Verdict::Other(format!("{path} stays")),
            None => Verdict::Same,
        })
    }

    /// What a reader sees between the fault and the repetition; nothing if that is in order.
    fn glance(&self) -> Result<Option<Verdict>> {
        let Some(words) = &self.scene.glance else { return Ok(None) };
        let ended = self.program.run(words)?;
        if let Some(what) = ended.misbehaviour() {
            return Ok(Some(Verdict::Other(format!("`{}` in between: {what}", words.join(" ")))));
        }
        if ended.is_done() {
            let seen = fs::read(self.program.root.join("glance.npz")).unwrap_or_default();
            if !self.glances.contains(&seen) {
                let what = "a reader in between sees neither the old data nor the new";
                return Ok(Some(Verdict::Wrong(what.into())));
            }
        }
        Ok(None)
    }
}

/// What is there before a scene.
fn prepare(scene: &Scene, program: &Program) -> Result<Tree> {
    Tree::default().write(&program.place())?;
    let (last, first) = match scene.before.split_last() {
        Some((last, first)) if scene.interrupted => (Some(last), first),
        _ => (None, &scene.before[..]),
    };
    for words in first {
        undisturbed(program, words)?;
    }
    if let Some(words) = last {
        interrupt(program, words)?;
    }
    Tree::read(&program.place())
}

/// Run what must succeed; the seconds that it takes.
fn undisturbed(program: &Program, words: &Words) -> Result<f64> {
    let ended = program.run(words)?;
    match ended.is_done() {
        true => Ok(ended.seconds),
        false => Err(format!("undisturbed, `unbraid {}` fails: {}", words.join(" "), ended.said)),
    }
}

/// Kill a command in the middle of its calls, but after its first checkpoint.
fn interrupt(program: &Program, words: &Words) -> Result<()> {
    let started = Tree::read(&program.place())?;
    program.run_with(words, Plan::Trace)?;
    let at = program.shim.records()?.len() * 6 / 10;
    started.write(&program.place())?;
    program.run_with(words, Plan::Fault { at, how: "before", group: false, cut: 0 })?;
    Ok(())
}
