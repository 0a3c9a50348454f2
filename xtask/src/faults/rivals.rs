//! Two processes on one directory: one does it, the other is told or waits, and nothing is lost.

use std::time::Duration;

use super::chance::Chance;
use super::ledger::Ledger;
use super::program::{Ended, Words};
use super::scenes;
use super::stage::{Stage, Verdict};
use super::{Bench, KINDS};
use crate::Result;

/// What the one who comes too late is told.
const TOLD: [&str; 3] =
    ["is being written to by", "already holds a run", "was started with another"];

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let (all, seconds): (Vec<_>, Vec<_>) = scenes::pairs().into_iter().unzip();
    bench.each(KINDS[3], [200, all.len()], &all, ledger, |stage, place, chance| {
        pair(stage, &seconds[place], chance)
    })
}

fn pair(stage: &Stage, second: &Words, chance: &mut Chance) -> Result<(Verdict, String)> {
    stage.reset()?;
    let first = stage.program.start(&stage.scene.command, None, "said")?;
    // Half of them at once, the others at any moment of the first.
    let late = if chance.once_in(2) { 0.0 } else { stage.seconds * chance.share() };
    std::thread::sleep(Duration::from_secs_f64(late));
    let second_running = stage.program.start(second, None, "said-second")?;
    let ended = [first.wait()?, second_running.wait()?];
    let what = format!("the second {:.0} ms after the first", late * 1e3);
    let same_command = *second == stage.scene.command || stage.scene.or.is_some();
    let verdict = match between(&ended, same_command) {
        Some(verdict) => verdict,
        None => stage.repeat()?,
    };
    Ok((verdict, what))
}

/// What is wrong with how the two ended.
fn between(ended: &[Ended; 2], same_command: bool) -> Option<Verdict> {
    if let Some(what) = ended.iter().find_map(Ended::misbehaviour) {
        return Some(Verdict::Other(what));
    }
    let refusals: Vec<&str> = ended.iter().filter_map(Ended::refusal).collect();
    let told = |sentence: &&str| TOLD.iter().any(|words| sentence.contains(words));
    match refusals.iter().find(|sentence| same_command && !told(sentence)) {
        Some(sentence) => {
            Some(Verdict::Other(format!("a rival was told something else: {sentence}")))
        }
        // One that scores may be refused for want of weights, and the one that trains for the first one's lock.
        None if same_command && refusals.len() == 2 => {
            Some(Verdict::Other(format!("neither did it: {}", refusals.join("; "))))
        }
        None => None,
    }
}
