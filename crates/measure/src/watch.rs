//! Watching long work: how far it is, and whether to stop. Asked from any thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Shares of the work are counted in this many parts.
const PARTS: f64 = 1e9;

/// Tells how far a piece of work is, and is told when to stop.
pub struct Watch<'w> {
    stop: Option<&'w AtomicBool>,
    report: Option<&'w (dyn Fn(f64) + Sync)>,
    done: AtomicU64,
}

impl<'w> Watch<'w> {
    /// Nobody looks, nobody stops.
    pub fn nobody() -> Self {
        Self { stop: None, report: None, done: AtomicU64::new(0) }
    }

    /// `report` gets the share that is done, from 0 to 1; the work ends early once `stop` is set.
    pub fn new(stop: &'w AtomicBool, report: &'w (dyn Fn(f64) + Sync)) -> Self {
        Self { stop: Some(stop), report: Some(report), done: AtomicU64::new(0) }
    }

    /// A share of the work is done, 1 being all of it. `Error::Stopped` if it should end now.
    pub fn advance(&self, share: f64) -> Result<()> {
        let parts = (share * PARTS) as u64;
        let done = self.done.fetch_add(parts, Ordering::Relaxed) + parts;
        if let Some(report) = self.report {
            report((done as f64 / PARTS).min(1.0));
        }
        match self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_a_stop_is_heard() {
        let (stop, last) = (AtomicBool::new(false), AtomicU64::new(0));
        let report = |share: f64| last.store((share * 100.0).round() as u64, Ordering::Relaxed);
        let watch = Watch::new(&stop, &report);
        watch.advance(0.25).unwrap();
        watch.advance(0.5).unwrap();
        assert_eq!(last.load(Ordering::Relaxed), 75);
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(watch.advance(0.1), Err(Error::Stopped)));
        assert!(Watch::nobody().advance(2.0).is_ok());
    }
}
