//! What a command is for: the files that must have the same bytes whatever happened on the way, seconds apart.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::tree::Tree;

/// The results by their path, as far as they must be equal.
pub(super) type Results = BTreeMap<String, Vec<u8>>;

/// The files that one of the patterns names; `*` stands for anything within a name.
pub(super) fn of(tree: &Tree, patterns: &[&str]) -> Results {
    let named = |path: &str| patterns.iter().any(|pattern| matches(pattern, path));
    let files = tree.files().filter(|(path, _)| named(path));
    files.map(|(path, bytes)| (path.clone(), without_seconds(path, bytes))).collect()
}

/// The differences, in words; some files may differ.
pub(super) fn difference(expected: &Results, found: &Results, apart: &[&str]) -> Option<String> {
    // As many as tell what it is.
    const SHOWN: usize = 4;
    let paths: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let paths = paths.into_iter().filter(|path| !apart.contains(&path.as_str()));
    let differences = paths.filter_map(|path| match (expected.get(path), found.get(path)) {
        (Some(expected), Some(found)) if expected == found => None,
        (Some(expected), Some(found)) => Some(format!("{path} differs{}", place(expected, found))),
        (Some(_), None) => Some(format!("{path} is missing")),
        _ => Some(format!("{path} should not be there")),
    });
    let differences: Vec<String> = differences.take(SHOWN).collect();
    (!differences.is_empty()).then(|| differences.join(", "))
}

fn place(expected: &[u8], found: &[u8]) -> String {
    let at = expected.iter().zip(found).position(|(a, b)| a != b);
    let at = at.unwrap_or(expected.len().min(found.len()));
    format!(" from byte {at} on ({} bytes, expected {})", found.len(), expected.len())
}

/// The drafts that nobody took away.
pub(super) fn litter(tree: &Tree) -> Option<&String> {
    tree.0.keys().find(|path| path.contains(".tmp-"))
}

/// The same file without what two equal computations need not share: how long they took, and the checksum over that.
fn without_seconds(path: &str, bytes: &[u8]) -> Vec<u8> {
    if path.ends_with("scores.json")
        && let Ok(mut document) = serde_json::from_slice::<Json>(bytes)
    {
        forget(&mut document);
        // Who scores first comes first.
        if let Some(scores) = document["scores"].as_array_mut() {
            scores.sort_by_key(|score| score["metric"].to_string());
        }
        return document.to_string().into_bytes();
    }
    if path.ends_with("results.csv") {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.split_inclusive('\n').filter(|line| !line.contains(",seconds,"));
        return lines.collect::<String>().into_bytes();
    }
    bytes.to_vec()
}

fn forget(document: &mut Json) {
    match document {
        Json::Object(keys) => {
            keys.retain(|key, _| key != "seconds" && key != "checksum");
            keys.values_mut().for_each(forget);
        }
        Json::Array(values) => values.iter_mut().for_each(forget),
        _ => {}
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), path.split('/').collect());
    let part = |(pattern, name): (&&str, &&str)| match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    };
    // A hidden file is a draft or a lock, and no result.
    let hidden = path.last().is_some_and(|name| name.starts_with('.'));
    !hidden && pattern.len() == path.len() && pattern.iter().zip(&path).all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let file = |(path, text): &(&str, &str)| (path.to_string(), Some(text.as_bytes().to_vec()));
        Tree(files.iter().map(file).collect())
    }

    #[test]
    fn seconds_do_not_count_and_all_else_does() {
        let patterns = ["run/*.json", "run/model"];
        let some = |seconds: &str, value: &str| {
            let text = format!("{{\"seconds\": {seconds}, \"value\": {value}}}");
            of(&tree(&[("run/scores.json", &text), ("run/.model", ""), ("x/model", "")]), &patterns)
        };
        assert_eq!(some("1", "2").len(), 1);
        assert_eq!(difference(&some("1", "2"), &some("3", "2"), &[]), None);
        assert!(difference(&some("1", "2"), &some("1", "3"), &[]).unwrap().contains("differs"));
        assert!(difference(&some("1", "2"), &Results::new(), &[]).unwrap().contains("is missing"));
        assert!(litter(&tree(&[("run/.scores.json.tmp-7", "")])).is_some());
    }
}
