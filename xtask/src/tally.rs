//! Adding up what `cargo test` and pytest print: one result line per test program, and the lines in
//! which a test says that it could not do its work here.

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

    /// Take in one line of pytest's, called with `-q -rfEs`.
    pub(crate) fn pytest_line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(skipped) = line.strip_prefix("SKIPPED ") {
            // "SKIPPED [2] python/tests/test_stubs.py:20: mypy is not installed"
            self.ignored_tests.push(skipped.into());
        } else if let Some(test) =
            line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))
        {
            let (name, _) = test.split_once(" - ").unwrap_or((test, ""));
            self.failed_tests.push(name.into());
        } else if let Some((counts, seconds)) = line.rsplit_once(" in ")
            && seconds.starts_with(|c: char| c.is_ascii_digit())
        {
            self.pytest_result(counts);
        }
    }

    /// "1 failed, 5 passed, 2 skipped, 1 error"
    fn pytest_result(&mut self, counts: &str) {
        for count in counts.split(", ") {
            let (number, what) = count.split_once(' ').unwrap_or_default();
            let Ok(number) = number.parse::<usize>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" | "error" | "errors" => self.failed += number,
                "skipped" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Something else than a test went wrong.
    pub(crate) fn failed(&mut self, what: &str) {
        self.failed += 1;
        self.failed_tests.push(what.into());
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
    fn the_results_of_pytest_are_added_to_them() {
        let mut tally = tally(OUTPUT);
        let output = "\
..s.F.                                                                   [100%]
=================================== FAILURES ===================================
it took 5 in 3 rows
=========================== short test summary info ============================
SKIPPED [2] python/tests/test_stubs.py:20: mypy is not installed
FAILED python/tests/test_metrics.py::test_a - assert 1 == 2
ERROR python/tests/test_errors.py - ImportError
1 failed, 4 passed, 2 skipped, 1 error in 61.20s (0:01:01)
";
        output.lines().for_each(|line| tally.pytest_line(line));
        tally.failed("the wheel");
        let report = tally.report();
        assert!(report.ends_with("total: 7 passed, 4 failed, 4 skipped\n"), "{report}");
        assert!(report.contains("  [2] python/tests/test_stubs.py:20: mypy is not installed\n"));
        assert!(report.contains("  python/tests/test_metrics.py::test_a\n"), "{report}");
        assert!(report.contains("  python/tests/test_errors.py\n  the wheel\n"), "{report}");
    }

    #[test]
    fn without_any_result_the_sums_are_zero() {
        assert_eq!(tally("").report(), "total: 0 passed, 0 failed, 0 skipped\n");
        assert_eq!(tally("test result: what\ntest \n"), Tally::default());
    }
}
