//! Power cuts: the calls of a command are replayed up to a moment, and one of the states is made in which a cut could
//! leave the disk then.

use super::chance::Chance;
use super::disk::Disk;
use super::ledger::Ledger;
use super::scenes;
use super::stage::{Stage, Verdict};
use super::{Bench, KINDS};
use crate::Result;

/// One of so many cuts is one after the end of the command, which has said that it is done.
const AFTER_THE_END: usize = 5;

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let all = scenes::all();
    bench.each(KINDS[1], [1000, 6 * all.len()], &all, ledger, |stage, _, chance| cut(stage, chance))
}

/// One cut, and the moment of it in words.
fn cut(stage: &Stage, chance: &mut Chance) -> Result<(Verdict, String)> {
    let (mut disk, calls) = (Disk::of(&stage.before), &stage.calls);
    let ended = chance.once_in(AFTER_THE_END);
    let end = if ended { calls.len() } else { chance.below(calls.len() + 1) };
    calls[..end].iter().for_each(|call| disk.follow(call));
    let moment = match calls.get(end) {
        None => "cut after the end".into(),
        Some(call) => format!("cut before call {} ({} {})", end + 1, call.what, call.path),
    };
    disk.cut(chance).write(&stage.program.place())?;
    // What a command has reported as done, it has done for good.
    let lost = match end == calls.len() {
        true => stage.difference(&stage.scene.later)?,
        false => None,
    };
    let verdict = match (stage.repeat()?, lost) {
        (Verdict::Same | Verdict::Refused(_), Some(what)) => Verdict::Lost(what),
        (verdict, _) => verdict,
    };
    Ok((verdict, moment))
}
