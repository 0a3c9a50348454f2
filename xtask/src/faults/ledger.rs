//! What was tried and what came of it: a line for each defect as it is found, and the table at the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Options;
use super::stage::Verdict;

/// The columns after the name.
const HEAD: &str = "| what | tried | same bytes | refused with a sentence | silently wrong | lost | other |\n\
                    |---|--:|--:|--:|--:|--:|--:|\n";
/// A line of progress for so many cases.
const STEP: usize = 100;

/// A line of the table.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    same: usize,
    refused: usize,
    wrong: usize,
    lost: usize,
    other: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.same += other.same;
        self.refused += other.refused;
        self.wrong += other.wrong;
        self.lost += other.lost;
        self.other += other.other;
    }

    fn line(&self, name: &str) -> String {
        let Self { same, refused, wrong, lost, other } = self;
        let tried = same + refused + wrong + lost + other;
        format!("| {name} | {tried} | {same} | {refused} | {wrong} | {lost} | {other} |\n")
    }
}

/// A defect, and how often it was met.
#[derive(Debug)]
struct Defect {
    /// The scene and the reason without numbers: what is of one kind has these.
    like: String,
    first: String,
    times: usize,
}

/// Everything that was tried.
#[derive(Debug)]
pub(super) struct Ledger {
    lines: Vec<(String, Counts)>,
    sentences: BTreeMap<String, usize>,
    defects: Vec<Defect>,
    /// How to repeat a case, but for its kind and number.
    command: String,
    tried: usize,
}

impl Ledger {
    pub(super) fn new(options: &Options) -> Self {
        let command = format!(
            "cargo xtask faults --program {} --seed {}",
            options.program.display(),
            options.seed
        );
        let (lines, sentences, defects) = (vec![], BTreeMap::new(), vec![]);
        Self { lines, sentences, defects, command, tried: 0 }
    }

    /// Enter a case: its kind, the scene, its number in `--only`, what was done, and how it went.
    pub(super) fn enter(
        &mut self,
        kind: &str,
        scene: &str,
        number: &str,
        what: &str,
        went: Verdict,
    ) {
        let name = format!("{kind}: {scene}");
        if self.lines.last().is_none_or(|(last, _)| *last != name) {
            println!("{name}");
            self.lines.push((name, Counts::default()));
        }
        let counts = &mut self.lines.last_mut().expect("there is one now").1;
        let (count, defect) = match went {
            Verdict::Same => (&mut counts.same, None),
            Verdict::Refused(sentence) => {
                *self.sentences.entry(without_numbers(&sentence)).or_default() += 1;
                (&mut counts.refused, None)
            }
            Verdict::Wrong(reason) => (&mut counts.wrong, Some(("silently wrong", reason))),
            Verdict::Lost(reason) => (&mut counts.lost, Some(("lost", reason))),
            Verdict::Other(reason) => (&mut counts.other, Some(("defect", reason))),
        };
        *count += 1;
        if let Some((word, reason)) = defect {
            let like = without_numbers(&format!("{kind} {scene} {word} {reason}"));
            let repeat = format!("{} --kinds {kind} --only {number}", self.command);
            let first = format!("{word}: {scene}, {what}: {reason}\n  {repeat}");
            println!("{first}");
            match self.defects.iter_mut().find(|defect| defect.like == like) {
                Some(defect) => defect.times += 1,
                None => self.defects.push(Defect { like, first, times: 1 }),
            }
        }
        self.tried += 1;
        if self.tried.is_multiple_of(STEP) {
            println!("{} tried, {} defects", self.tried, self.met());
        }
    }

    /// How many cases met a defect.
    fn met(&self) -> usize {
        self.defects.iter().map(|defect| defect.times).sum()
    }

    pub(super) fn is_clean(&self) -> bool {
        self.defects.is_empty()
    }

    /// The table, the sentences of refusals, and every defect.
    pub(super) fn report(&self) -> String {
        let mut text = format!("\n{HEAD}");
        let mut all = Counts::default();
        for (name, counts) in &self.lines {
            all.add(counts);
            text += &counts.line(name);
        }
        text += &all.line("all");
        text += "\nRefusals:\n\n";
        for (sentence, times) in &self.sentences {
            let _ = writeln!(text, "- {times} times: {sentence}");
        }
        let _ = writeln!(text, "\n{} tried, {} defects", self.tried, self.met());
        for Defect { first, times, .. } in &self.defects {
            let _ = writeln!(text, "\n- {times} times, first as {first}");
        }
        text
    }
}

/// A sentence without what differs from case to case.
fn without_numbers(sentence: &str) -> String {
    let mut plain = String::new();
    for c in sentence.chars() {
        match c.is_ascii_digit() {
            true if plain.ends_with('N') => {}
            true => plain.push('N'),
            false => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_adds_up_and_a_defect_says_how_to_repeat_it() {
        let mut ledger = Ledger::new(&Options::default());
        let refused = |process| Verdict::Refused(format!("is written to by process {process}"));
        ledger.enter("kills", "train", "0", "", Verdict::Same);
        ledger.enter("kills", "train", "1", "", refused(12));
        ledger.enter("kills", "train", "2", "", refused(345));
        assert!(ledger.is_clean());
        ledger.enter("kills", "train", "3", "killed", Verdict::Wrong("log differs".into()));
        let report = ledger.report();
        assert!(report.contains("| kills: train | 4 | 1 | 2 | 1 | 0 | 0 |"), "{report}");
        assert!(report.contains("- 2 times: is written to by process N\n"), "{report}");
        assert!(report.contains("--seed 0 --kinds kills --only 3"), "{report}");
        assert!(!ledger.is_clean());
    }
}
