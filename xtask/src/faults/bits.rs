//! Single bits that flip in files: found, or harmless.

use super::chance::Chance;
use super::ledger::Ledger;
use super::program::{How, Words};
use super::scenes;
use super::stage::{Stage, Verdict};
use super::tree::Tree;
use super::{Bench, KINDS};
use crate::Result;

pub(super) fn run(bench: &Bench, ledger: &mut Ledger) -> Result<()> {
    let (all, checks): (Vec<_>, Vec<_>) = scenes::subjects().into_iter().unzip();
    bench.each(KINDS[4], [1000, 12], &all, ledger, |stage, place, chance| {
        flip(stage, &checks[place], chance)
    })
}

fn flip(stage: &Stage, check: &Words, chance: &mut Chance) -> Result<(Verdict, String)> {
    let mut tree: Tree = stage.before.clone();
    let mut files: Vec<(&String, &mut Vec<u8>)> =
        tree.0.iter_mut().filter_map(|(path, bytes)| Some((path, bytes.as_mut()?))).collect();
    files.retain(|(_, bytes)| !bytes.is_empty());
    // Every file as often as any other: the small ones say what the large ones are.
    let place = chance.below(files.len());
    let (path, bytes) = &mut files[place];
    let path = path.clone();
    let bit = chance.below(bytes.len() * 8);
    bytes[bit / 8] ^= 1 << (bit % 8);
    let what = format!("bit {bit} of {path}");
    tree.write(&stage.program.place())?;
    let checked = stage.program.run(check)?;
    let verdict = match checked.how {
        // What it found is on standard output.
        How::Code(1) if !checked.said.contains("panicked") => {
            Verdict::Refused(format!("unbraid {} exits with 1", check.join(" ")))
        }
        // An earlier version has no `check`. Some bits say nothing, such as those of the word before a checksum: what
        // counts is what is made of the file. Nothing is made of a log.
        How::Code(0 | 2) if path.ends_with("log.jsonl") => stage.repeat()?,
        How::Code(0 | 2) => stage.repeat_apart_from(&[&path])?,
        _ => Verdict::Other(checked.misbehaviour().unwrap_or_default()),
    };
    Ok((verdict, what))
}
