//! `kill -9` at random moments, up to three in a row, then to the end.

use std::time::Duration;

use super::chance::Chance;
use super::ledger::Ledger;
use super::scenes;
use super::stage::{Stage, Verdict};
use super::{Bench, KINDS};
use crate::Result;

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let kind = KINDS[2];
    let all = scenes::long();
    let count = bench.count(1000, 17);
    for (place, scene) in all.iter().enumerate() {
        let mine: Vec<usize> =
            (0..count).filter(|n| n % all.len() == place && bench.wants(&n.to_string())).collect();
        if mine.is_empty() {
            continue;
        }
        let stage = Stage::new(scene.clone(), &bench.program)?;
        for number in mine {
            let chance = &mut Chance::of(bench.options.seed, kind, number);
            let (verdict, moments) = kill(&stage, chance)?;
            ledger.enter(kind, &scene.name, &number.to_string(), &moments, verdict);
        }
    }
    Ok(())
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
