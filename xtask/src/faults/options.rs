//! The options of `cargo xtask faults`.

use std::path::PathBuf;

use super::KINDS;
use crate::{Result, cargo};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The program under test; empty for the one that is built now.
    pub(super) program: PathBuf,
    pub(super) kinds: Vec<String>,
    /// Cases of each kind.
    pub(super) count: Option<usize>,
    pub(super) seed: u64,
    /// A few of everything, in less than a minute.
    pub(super) short: bool,
    /// This case alone, as a defect names it.
    pub(super) only: Option<String>,
    /// Where to work: a directory in this one.
    pub(super) at: PathBuf,
}

impl Options {
    pub(super) fn parse(words: &[&str]) -> Result<Self> {
        let kinds = KINDS.map(str::to_string).to_vec();
        let mut options = Self { kinds, at: target(), ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--short" {
                options.short = true;
                continue;
            }
            let value = words.next().ok_or(format!("`{word}` needs a value"));
            match *word {
                "--program" => options.program = absolute(value?)?,
                "--kinds" => options.kinds = kinds_of(value?)?,
                "--count" => options.count = Some(number(word, value?)? as usize),
                "--seed" => options.seed = number(word, value?)?,
                "--only" => options.only = Some(value?.to_string()),
                "--at" => options.at = absolute(value?)?,
                _ => return Err(format!("unknown option `{word}` of `cargo xtask faults`")),
            }
        }
        Ok(options)
    }

    /// The program under test, built if none was given.
    pub(super) fn program(&self) -> Result<PathBuf> {
        if !self.program.as_os_str().is_empty() {
            return Ok(self.program.clone());
        }
        let built = cargo(&["build", "--release", "-p", "unbraid"]).status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("the program cannot be built".into());
        }
        Ok(target().join("release/unbraid"))
    }
}

/// Where cargo builds.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    crate::repository("").join(target)
}

fn absolute(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|source| format!("`{path}` is no path: {source}"))
}

fn number(option: &str, word: &str) -> Result<u64> {
    word.parse().map_err(|_| format!("`{option}` needs a whole number, not `{word}`"))
}

fn kinds_of(words: &str) -> Result<Vec<String>> {
    let known = |kind: &str| match KINDS.contains(&kind) {
        true => Ok(kind.to_string()),
        false => Err(format!("unknown kind `{kind}`; the kinds are {}", KINDS.join(", "))),
    };
    words.split(',').map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_options_and_mistakes_are_named() {
        let options = Options::parse(&["--kinds", "power,bits", "--seed", "7", "--short"]).unwrap();
        assert_eq!((options.kinds.len(), options.seed, options.short), (2, 7, true));
        assert_eq!(Options::parse(&[]).unwrap().kinds.len(), KINDS.len());
        for wrong in [&["--kinds", "x"][..], &["--seed"], &["--count", "x"], &["--x", "1"]] {
            Options::parse(wrong).unwrap_err();
        }
    }
}
