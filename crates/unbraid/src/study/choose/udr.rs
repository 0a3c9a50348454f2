//! UDR of the runs of a study (Duan et al. 2020, arXiv:1905.12614): each run beside those that differ from it in
//! nothing but their seed, by codes of the same rows. Each run is encoded once; the pairs of a group cost next to
//! nothing.
//!
//! A run none of whose latents carries anything agrees with nobody: its UDR is 0, and the others are compared without
//! it. In the authors' code its pairs count as 0 for the others too.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value as Json, json};
use unbraid_measure::data;
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::kept::Kept;
use super::{Planned, RunByRun, Study, field};
use crate::error::{Error, Result};
use crate::evaluate::agreement;
use crate::evaluate::encode::encode;
use crate::run::TrainedRun;

/// Where the values are kept.
const FILE: &str = "udr.json";

/// The key of a value there.
const KEY: &str = "udr";

impl Study {
    /// The UDR of every finished run that has siblings, by its name, computed on so many rows of its data. What is
    /// known from an earlier call is not computed again.
    pub fn udr(&self, rows: usize, watch: &dyn Watch) -> Result<BTreeMap<String, f64>> {
        self.udr_where(|_| true, rows, watch)
    }

    /// The same of some runs and their siblings.
    pub(super) fn udr_where(
        &self,
        is_asked: impl Fn(&Planned) -> bool,
        rows: usize,
        watch: &dyn Watch,
    ) -> Result<BTreeMap<String, f64>> {
        if rows < 2 {
            return Err(Error::setting(
                "rows",
                "must be at least 2: UDR correlates codes over rows",
            ));
        }
        let mut groups = self.siblings();
        groups.retain(|group| group.iter().any(|run| is_asked(run)));
        if groups.is_empty() {
            return Err(Error::Unable(
                "UDR compares runs that differ in nothing but their seed, and no two such runs are done; \
                 add seeds to [vary] of the study file and plan it again"
                    .into(),
            ));
        }
        let weights: Vec<Vec<String>> =
            groups.iter().map(|group| self.weights_of(group)).collect::<Result<_>>()?;
        let groups: Vec<(Vec<&Planned>, Vec<String>)> = groups.into_iter().zip(weights).collect();
        let mut kept = Kept::open(self.directory.join(FILE));
        let mut left = groups.clone();
        left.retain(|(group, weights)| known(&kept, group, weights, rows).is_none());
        if !left.is_empty() {
            let computed = self.compute(&left, rows, &mut kept, watch);
            // Also when somebody asked to stop: what is done need not be done again.
            kept.write(watch);
            computed?;
        }
        let values = |(group, weights): &(Vec<&Planned>, Vec<String>)| {
            known(&kept, group, weights, rows).unwrap_or_default()
        };
        Ok(groups.iter().flat_map(values).collect())
    }

    /// Encode and compare, group by group.
    fn compute(
        &self,
        groups: &[(Vec<&Planned>, Vec<String>)],
        rows: usize,
        kept: &mut Kept,
        watch: &dyn Watch,
    ) -> Result<()> {
        let runs: usize = groups.iter().map(|(group, _)| group.len()).sum();
        watch.note(&format!("UDR: encoding {rows} rows by each of {runs} runs"));
        let each = RunByRun { watch, stage: "UDR", runs: runs as u64 };
        let mut done = 0;
        for (group, weights) in groups {
            let mut codes = Vec::new();
            for run in group {
                each.done(done, &run.name)?;
                codes.push(self.codes(run, rows, &each)?);
                done += 1;
            }
            let names: Vec<&str> = group.iter().map(|run| run.name.as_str()).collect();
            let found = agreement::udr(codes, &each)?;
            for ((name, weights), value) in names.iter().zip(weights).zip(found) {
                let siblings: Vec<&&str> = names.iter().filter(|other| *other != name).collect();
                let entry = json!({"value": value, "rows": rows, "siblings": siblings});
                kept.put(name, weights, KEY, entry);
            }
            kept.write_now_and_then(watch);
        }
        each.done(done, "")
    }

    /// Finished runs in groups that differ in nothing but their seed; those that stand alone are left out.
    fn siblings(&self) -> Vec<Vec<&Planned>> {
        let mut groups: Vec<Vec<&Planned>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for run in self.runs.iter().filter(|run| field::learns(run) && self.is_done(run)) {
            let mut alike = run.config.clone();
            alike.remove("seed");
            let place = *places.entry(alike.to_string()).or_insert_with(|| {
                groups.push(vec![]);
                groups.len() - 1
            });
            groups[place].push(run);
        }
        groups.retain(|group| group.len() > 1);
        groups
    }

    /// The codes of the rows that are the same for all runs on these data.
    fn codes(
        &self,
        run: &Planned,
        rows: usize,
        watch: &dyn Watch,
    ) -> Result<Representation<'static>> {
        let trained = TrainedRun::open(self.directory_of(run))?;
        let data = &*trained.plan().data;
        let rows = data::rows(data, rows, &Rng::new(0).split("udr"));
        encode(trained.learner(), data, &rows, watch)
    }
}

/// The values of a group, if all were computed together, with these weights and of as many rows.
fn known(
    kept: &Kept,
    group: &[&Planned],
    weights: &[String],
    rows: usize,
) -> Option<Vec<(String, f64)>> {
    let value = |(run, weights): (&&Planned, &String)| {
        let entry = kept.get(&run.name, weights, KEY)?;
        let others = group.iter().filter(|other| other.number != run.number);
        let siblings: Json = others.map(|other| other.name.as_str()).collect();
        let is_this = entry["rows"] == rows && entry["siblings"] == siblings;
        is_this.then(|| Some((run.name.clone(), entry["value"].as_f64()?))).flatten()
    };
    group.iter().zip(weights).map(value).collect()
}
