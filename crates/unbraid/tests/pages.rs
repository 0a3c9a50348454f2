//! The documentation: every link leads somewhere, every page is in the book.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The top of the repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "bench", "studies/results"] {
        let entries = fs::read_dir(top().join(folder)).unwrap().flatten();
        found.extend(
            entries
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "md")),
        );
    }
    found
}

/// The text without blocks of code, in which brackets are no links.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let parts = text.split("```").step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// What stands in `](…)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The names of the headings of a page, as they are linked to.
fn anchors(path: &Path) -> HashSet<String> {
    let heading = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    prose(path).lines().filter(|line| line.starts_with('#')).map(heading).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = prose(&page);
        for link in
            links(&text).filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let there = target.exists()
                && (anchor.is_empty() || anchors(&target).contains(&anchor.to_lowercase()));
            if !there {
                dead.push(format!("{}: {link}", page.strip_prefix(top()).unwrap().display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_page_is_in_the_book() {
    let summary = top().join("docs/SUMMARY.md");
    let text = fs::read_to_string(&summary).unwrap();
    let listed: HashSet<PathBuf> =
        links(&text).map(|link| top().join("docs").join(link).canonicalize().unwrap()).collect();
    let is_page = |page: &&PathBuf| page.starts_with(top().join("docs")) && **page != summary;
    let missing: Vec<PathBuf> =
        pages().iter().filter(is_page).filter(|page| !listed.contains(*page)).cloned().collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}
