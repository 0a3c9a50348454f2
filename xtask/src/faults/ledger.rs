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

/// Everything that was tried.
#[derive(Debug)]
pub(super) struct Ledger {
    lines: Vec<(String, Counts)>,
    sentences: BTreeMap<String, usize>,
    defects: Vec<String>,
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
        let (word, reason) = match went {
            Verdict::Same => {
                counts.same += 1;
                ("", String::new())
            }
            Verdict::Refused(sentence) => {
                counts.refused += 1;
                *self.sentences.entry(without_numbers(&sentence)).or_default() += 1;
                ("", String::new())
            }
            Verdict::Wrong(reason) => {
                counts.wrong += 1;
                ("silently wrong", reason)
            }
            Verdict::Lost(reason) => {
                counts.lost += 1;
                ("lost", reason)
            }
            Verdict::Other(reason) => {
                counts.other += 1;
                ("defect", reason)
            }
        };
        if !word.is_empty() {
            let defect = format!(
                "{word}: {scene}, {what}: {reason}\n  {} --kinds {kind} --only {number}",
                self.command
            );
            println!("{defect}");
            self.defects.push(defect);
        }
        self.tried += 1;
        if self.tried.is_multiple_of(STEP) {
            println!("{} tried, {} defects", self.tried, self.defects.len());
        }
    }

    pub(super) fn is_clean(&self) -> bool {
        self.defects.is_empty()
    }

    /// The table, the sentences of refusals, and every defect.
    pub(super) fn report(&self) -> String {
        let mut text = format!("\n{HEAD}");
        for (name, c) in &self.lines {
            let tried = c.same + c.refused + c.wrong + c.lost + c.other;
            let _ = writeln!(
                text,
                "| {name} | {tried} | {} | {} | {} | {} | {} |",
                c.same, c.refused, c.wrong, c.lost, c.other
            );
        }
        text += "\nRefusals:\n\n";
        for (sentence, times) in &self.sentences {
            let _ = writeln!(text, "- {times} times: {sentence}");
        }
        let _ = writeln!(text, "\n{} tried, {} defects", self.tried, self.defects.len());
        for defect in &self.defects {
            let _ = writeln!(text, "\n- {defect}");
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
