//! Single calls: each fails, is torn, or is the last thing before or after which the process is killed.

use super::ledger::Ledger;
use super::scenes;
use super::shim::Plan;
use super::stage::Stage;
use super::trace::Record;
use super::{Bench, KINDS};
use crate::Result;

/// More of one scene would be more of the same: the calls of a study repeat themselves from run to run.
const MOST: usize = 400;

/// The faults that a call can meet.
fn faults_of(call: &Record) -> &'static [&'static str] {
    match (call.what.as_str(), call.done) {
        ("read" | "look" | "list" | "open", _) | (_, false) => &["eio"],
        ("write", true) => &["eio", "enospc", "full", "short", "torn", "before", "after"],
        ("remove" | "empty" | "truncate", true) => &["eio", "before", "after"],
        (_, true) => &["eio", "enospc", "before", "after"],
    }
}

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let all = scenes::all();
    let most = bench.options.count.map_or(MOST, |count| count.div_ceil(all.len()));
    let most = if bench.options.short { 6 } else { most };
    for scene in all {
        let name = scene.name.clone();
        if !bench.wants_any_of(&name) || !bench.has(&scene) {
            continue;
        }
        let stage = Stage::new(scene, &bench.program)?;
        let cases: Vec<(&Record, &'static str)> = stage
            .calls
            .iter()
            .flat_map(|call| faults_of(call).iter().map(move |how| (call, *how)))
            .filter(|(call, how)| bench.wants(&format!("{name}:{}:{how}", call.number)))
            .collect();
        // Evenly over the command, and with another seed others.
        let step = (cases.len() as f64 / most as f64).max(1.0);
        let first = bench.options.seed as f64 * 0.618_033_988_749_895 % 1.0 * step;
        let chosen = (0..cases.len().min(most))
            .map(|k| cases[(first + k as f64 * step) as usize % cases.len()]);
        for (call, how) in chosen {
            try_one(&stage, call, how, ledger)?;
        }
    }
    Ok(())
}

fn try_one(stage: &Stage, call: &Record, how: &'static str, ledger: &mut Ledger) -> Result<()> {
    stage.reset()?;
    // Every second process dies with all that it has started.
    let group = call.number.is_multiple_of(2);
    let cut = call.number * 379 % 1000;
    let plan = Plan::Fault { at: call.number, how, group, cut };
    let ended = stage.program.run_with(&stage.scene.command, plan)?;
    let verdict = stage.judge(&ended)?;
    let number = format!("{}:{}:{how}", stage.scene.name, call.number);
    let what = format!("{how} at call {} ({} {})", call.number, call.what, call.path);
    ledger.enter(KINDS[0], &stage.scene.name, &number, &what, verdict);
    Ok(())
}
