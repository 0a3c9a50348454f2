//! `kill -9` at random moments, up to three in a row, then to the end.

use std::time::Duration;

use super::chance::Chance;
use super::ledger::Ledger;
use super::scenes;
use super::stage::{Stage, Verdict};
use super::{Bench, KINDS};
use crate::Result;

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let all = scenes::long();
    bench
        .each(KINDS[2], [1000, 2 * all.len()], &all, ledger, |stage, _, chance| kill(stage, chance))
}

fn kill(stage: &Stage, chance: &mut Chance) -> Result<(Verdict, String)> {
    stage.reset()?;
    let mut moments = vec![];
    for _ in 0..=chance.below(3) {
        let (share, group) = (chance.share(), chance.once_in(2));
        let running = stage.program.start(&stage.scene.command, None, "said")?;
        let time = Duration::from_secs_f64(stage.seconds * share);
        if let Some(ended) = running.kill_after(time, group)? {
            // It was quicker than the kill: judged as it is.
            return Ok((stage.judge(&ended)?, moments.join(", ")));
        }
        moments.push(format!(
            "killed{} after {:.0} ms",
            if group { " with its group" } else { "" },
            time.as_secs_f64() * 1e3
        ));
    }
    Ok((stage.repeat()?, moments.join(", ")))
}
