//! Adding up what `cargo test` prints: one result line per test program, and the lines in which a
//! test says that it could not do its work here.

/// What has been seen so far.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// What a line `skipped: …` said.
    skipped: Vec<String>,
    /// Tests marked `#[ignore]`, by name.
    ignored_tests: Vec<String>,
    failed_tests: Vec<String>,
}

impl Tally {
    /// Take in one line of output.
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(what) = line.strip_prefix("skipped:") {
            self.skipped.push(what.trim().into());
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.result(result);
        } else if let Some(test) = line.strip_prefix("test ") {
            // "test NAME ... ignored, REASON"
            let (name, end) = test.rsplit_once(" ... ").unwrap_or((test, ""));
            if end == "FAILED" {
                self.failed_tests.push(name.into());
            } else if let Some(reason) = end.strip_prefix("ignored") {
                self.ignored_tests.push(format!("{name} (ignored{reason})"));
            }
        }
    }

    /// "ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s"
    fn result(&mut self, result: &str) {
        let (_, counts) = result.split_once(". ").unwrap_or_default();
        for count in counts.split("; ") {
            let (number, what) = count.split_once(' ').unwrap_or_default();
            let Ok(number) = number.parse::<usize>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// What failed and what was not run, by name, and as the last line the three sums.
    pub(crate) fn report(&self) -> String {
        let not_run: Vec<String> =
            self.skipped.iter().chain(&self.ignored_tests).cloned().collect();
        let list = |title: &str, names: &[String]| match names.is_empty() {
            true => String::new(),
            false => format!("{title}:\n  {}\n", names.join("\n  ")),
        };
        format!(
            "{}{}total: {} passed, {} failed, {} skipped\n",
            list("Failed", &self.failed_tests),
            list("Not run", &not_run),
            self.passed,
            self.failed,
            self.skipped.len() + self.ignored
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 4 tests
test golden::every_entry ... ok
test cli::transcripts ... FAILED
test reads_the_published_file ... ignored, needs 26 MB
test tensorboard_reads_it ... ok

successes:

---- tensorboard_reads_it stdout ----
skipped: tensorboard (no Python here)
this line only speaks of what was skipped: nothing

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.20s

   Doc-tests unbraid
test crates/unbraid/src/lib.rs - (line 10) - compile ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

    fn tally(output: &str) -> Tally {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.line(line));
        tally
    }

    #[test]
    fn the_results_of_all_test_programs_are_added_up() {
        assert_eq!(
            tally(OUTPUT).report(),
            "Failed:\n  cli::transcripts\nNot run:\n  tensorboard (no Python here)\n  \
             reads_the_published_file (ignored, needs 26 MB)\n\
             total: 3 passed, 1 failed, 2 skipped\n"
        );
    }

    #[test]
    fn without_any_result_the_sums_are_zero() {
        assert_eq!(tally("").report(), "total: 0 passed, 0 failed, 0 skipped\n");
        assert_eq!(tally("test result: what\ntest \n"), Tally::default());
    }
}
