//! What can be said of a run whose data are no longer where they were: it has kept the codes by which it was scored.

use unbraid_measure::representation::Representation;
use unbraid_measure::watch::Watch;

use super::directory::Run;
use super::files;
use super::score::{Scored, Scoring, joined, save};
use crate::error::{Error, Result};
use crate::evaluate::unaided::Unaided;

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
        let alone = codes.factors.is_empty();
        let metrics = how.metrics_for(&self.config().score.metrics, alone)?;
        let report = how.judge(&mut codes, &metrics, watch)?;
        let mut document = joined(&report, &[]);
        let earlier = self.document(files::SCORES)?.filter(|_| alone && how.metrics.is_empty());
        let told = earlier.map(|earlier| earlier["without_labels"].clone()).unwrap_or_default();
        let unaided = Unaided::from_json(&told);
        if unaided.is_some() {
            document["without_labels"] = told;
        }
        if report.outcomes.iter().any(|outcome| outcome.score.is_ok()) {
            save(self, document.clone())?;
        }
        Ok(Scored { codes, report, others: vec![], unaided, document })
    }
}
