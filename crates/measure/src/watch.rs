//! Watching long work: what it is doing, how far it is, and whether to stop. One trait for the bar of a
//! terminal, plain lines, events of a server and Ctrl-C in Python.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Shares of the work are counted in this many parts.
const PARTS: f64 = 1e9;

/// Somebody who looks on. Told and asked from any thread.
pub trait Watch: Sync {
    /// Work is at this point.
    fn progress(&self, _now: &Progress) {}

    /// Something worth saying beside the result, in a sentence.
    fn note(&self, _text: &str) {}

    /// Whether the work should end. What it has done is kept where it can go on from there.
    fn stopped(&self) -> bool {
        false
    }
}

/// How far work is.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// What is being done: "training", the name of a metric.
    pub stage: &'a str,
    /// Which share of the stage is done, from 0 to 1.
    pub share: f64,
    /// Steps taken and steps to take, where the stage counts them.
    pub steps: Option<[u64; 2]>,
    /// What it looks like at this point, such as the terms of a loss.
    pub message: &'a dyn Display,
}

/// Nobody looks, nobody stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Watch for Nobody {}

/// One stage of watched work, whose share is added up from any thread.
pub struct Stage<'w> {
    watch: &'w dyn Watch,
    name: &'w str,
    /// The shares of the stage between which this part of it lies.
    between: [f64; 2],
    done: AtomicU64,
}

impl<'w> Stage<'w> {
    /// A stage of this name, of which nothing is done.
    pub fn new(watch: &'w dyn Watch, name: &'w str) -> Self {
        Self::part(watch, name, [0.0, 1.0])
    }

    /// The part of a stage that lies between two shares of it.
    pub fn part(watch: &'w dyn Watch, name: &'w str, between: [f64; 2]) -> Self {
        Self { watch, name, between, done: AtomicU64::new(0) }
    }

    /// A stage at which nobody looks.
    pub fn unwatched() -> Self {
        Self::new(&Nobody, "")
    }

    /// A share of the work is done, 1 being all of it. `Error::Stopped` if it should end now.
    pub fn advance(&self, share: f64) -> Result<()> {
        let parts = (share * PARTS) as u64;
        let done = self.done.fetch_add(parts, Ordering::Relaxed) + parts;
        let [from, to] = self.between;
        let share = from + (to - from) * (done as f64 / PARTS).min(1.0);
        self.watch.progress(&Progress { stage: self.name, share, steps: None, message: &"" });
        match self.watch.stopped() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    #[derive(Default)]
    struct Witness {
        seen: Mutex<Vec<(String, f64)>>,
        stop: AtomicBool,
    }

    impl Watch for Witness {
        fn progress(&self, now: &Progress) {
            self.seen.lock().unwrap().push((now.stage.into(), (now.share * 100.0).round()));
        }

        fn stopped(&self) -> bool {
            self.stop.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn shares_add_up_within_their_part_and_a_stop_is_heard() {
        let witness = Witness::default();
        let whole = Stage::new(&witness, "whole");
        whole.advance(0.25).unwrap();
        whole.advance(0.5).unwrap();
        Stage::part(&witness, "half", [0.5, 1.0]).advance(0.5).unwrap();
        let seen = witness.seen.lock().unwrap().clone();
        let expected = [("whole", 25.0), ("whole", 75.0), ("half", 75.0)];
        assert_eq!(seen, expected.map(|(name, share)| (name.to_string(), share)));
        witness.stop.store(true, Ordering::Relaxed);
        assert!(matches!(whole.advance(0.1), Err(Error::Stopped)));
        assert!(Stage::unwatched().advance(2.0).is_ok());
    }
}
