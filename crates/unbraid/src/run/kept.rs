//! What can be said of a run whose data are no longer where they were: it has kept the codes by which it was scored.

use unbraid_measure::representation::Representation;
use unbraid_measure::watch::Watch;

use super::directory::Run;
use super::files;
use super::score::{Scored, Scoring, joined, save};
use crate::error::{Error, Result};

impl Run {
    /// What is said where the data are gone, with the way to have them back; nothing if they are there.
    pub fn lost(&self) -> Option<String> {
        let path = self.config().lost_data()?.display();
        Some(format!(
            "the data are no longer at {path}; put them back, or link that place to where they are"
        ))
    }

    /// Score the codes that the run has kept, without its data; refused if it kept none.
    pub fn score_kept(&self, how: &Scoring, watch: &dyn Watch) -> Result<Scored> {
        let _lock = self.lock("scoring")?;
        let path = self.file(files::REPRESENTATION);
        let why = self.lost().unwrap_or_default();
        if !path.is_file() {
            return Err(Error::Unable(format!(
                "{why} (the run was not scored before, so it keeps no codes)"
            )));
        }
        let mut codes = Representation::load(&path)?;
        watch.note(&format!("{why}; scoring the {} codes that the run has kept", codes.rows()));
        let metrics = how.metrics_for(&self.config().score.metrics, codes.factors.is_empty())?;
        let report = how.judge(&mut codes, &metrics, watch)?;
        let document = joined(&report, &[]);
        if report.outcomes.iter().any(|outcome| outcome.score.is_ok()) {
            save(self, document.clone())?;
        }
        Ok(Scored { codes, report, others: vec![], unaided: None, document })
    }
}
