//! InfoMEC, T-MEX, R2, MCC and DCI by regression against the values of the original code, at the
//! tolerance stated with each value. A few cases are here (`golden/trust`); all of them are taken
//! where the project's shared files are at hand.

#[path = "golden/trust.rs"]
mod trust;

use std::collections::BTreeMap;

use serde_json::Value;
use trust::{Case, Set, text};
use unbraid_measure::metrics::Metric;
use unbraid_measure::metrics::infomec::{Codes, InfoMec, Measured, Rules};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Stage;

/// The number of ours for an entry; `None` where there is none.
type Ours = fn(&Case, &Value) -> Option<f64>;

/// Every entry of these metrics within its tolerance, and no metric without entries.
fn check(names: &[(&str, Ours)]) {
    for set in trust::sets() {
        let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
        let mut failures = Vec::new();
        for entry in &set.entries {
            let metric = text(&entry["metric"]);
            let Some((name, ours)) = names.iter().find(|(name, _)| *name == metric) else {
                continue;
            };
            *checked.entry(name).or_default() += 1;
            let found = ours(set.case(entry), entry);
            if !trust::agrees(entry, found) {
                failures.push(format!("{}: {found:?}, not {}", entry["id"], trust::wanted(entry)));
            }
        }
        assert!(failures.is_empty(), "{} of {checked:?}:\n{}", failures.len(), failures.join("\n"));
        assert_eq!(checked.len(), names.len(), "some metrics have no entry: {checked:?}");
    }
}

fn infomec(case: &Case, entry: &Value) -> Option<Measured> {
    let rules = match text(&entry["reference"]) {
        "qlae" => Rules::Qlae,
        "tripod" => Rules::Tripod,
        "guard" => Rules::Guard,
        other => panic!("no rules `{other}`"),
    };
    let codes = if case.discrete { Codes::Discrete } else { Codes::Continuous };
    let metric = InfoMec { rules, codes };
    metric.measure(&case.table, &Rng::new(0), &Stage::unwatched()).ok()
}

#[test]
fn infomec_is_that_of_its_three_references() {
    check(&[
        ("infom", |case, entry| infomec(case, entry)?.modularity),
        ("infoc", |case, entry| infomec(case, entry)?.compactness),
        ("infoe", |case, entry| Some(infomec(case, entry)?.explicitness)),
    ]);
}
