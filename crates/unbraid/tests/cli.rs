//! Transcripts: what a user types and what comes back, word for word. README.md is one of them.
//!
//! In a block of ```` ```console ```` a line `$ unbraid …` is run, `? 1` is its exit code (0 if left
//! out), and what follows is all it prints; `[..]` stands for anything in a line, a line `...` for any
//! lines. Each file runs in a directory of its own. (The crate for this, trycmd, changes the features
//! of burn's dependencies: tests would compile burn a second time.)

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::unbraid;

struct Step<'a> {
    words: Vec<&'a str>,
    code: i32,
    expected: Vec<&'a str>,
}

/// The commands of every console block, in order.
fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ unbraid "), steps.last_mut()) {
                (Some(words), _) => steps.push(Step {
                    words: words.split_whitespace().collect(),
                    code: 0,
                    expected: vec![],
                }),
                (None, Some(step)) => match line.strip_prefix("? ") {
                    Some(code) => step.code = code.parse().expect("`?` and an exit code"),
                    None => step.expected.push(line),
                },
                (None, None) => panic!("`{line}` stands before the first command"),
            },
            (false, _) => {}
        }
    }
    steps
}

fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match (expected, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        ([first, rest @ ..], [line, lines @ ..]) => {
            line_matches(first, line) && matches(rest, lines)
        }
        _ => false,
    }
}

fn line_matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("[..]");
    let start = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(start) else { return false };
    let mut open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        open = part.is_empty();
    }
    open || rest.is_empty()
}

fn trimmed<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.into_iter().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn run(path: &Path) -> usize {
    let text = fs::read_to_string(path).expect("a transcript");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let steps = steps(&text);
    for step in &steps {
        let output = unbraid().args(&step.words).current_dir(&directory).output();
        let output = output.expect("the program starts");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).expect("text");
        let place = format!("{}: unbraid {}", path.display(), step.words.join(" "));
        assert_eq!(output.status.code(), Some(step.code), "{place}\n{printed}");
        let expected = trimmed(step.expected.iter().copied());
        assert!(matches(&expected, &trimmed(printed.lines())), "{place} printed\n{printed}");
    }
    steps.len()
}

#[test]
fn transcripts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(root.join("tests/cli")).expect("the folder of transcripts");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.push(root.join("../../README.md"));
    let ran: usize = files.iter().map(|path| run(path)).sum();
    assert!(ran > 15, "only {ran} commands were found; does the reader still work?");
}

#[test]
fn wildcards_match_what_they_should_and_no_more() {
    assert!(line_matches("mcc  [..]", "mcc  0.93"));
    assert!(line_matches("a [..] c", "a b c"));
    assert!(!line_matches("a [..] c", "a b d"));
    assert!(!line_matches("exact", "exactly"));
    assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(!matches(&["a", "...", "e"], &["a", "b", "c", "d"]));
    assert!(!matches(&["a"], &["a", "b"]));
}
