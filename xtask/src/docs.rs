//! `cargo xtask docs`: what the registries say about themselves, as tables and pages.

use std::fs;

use serde_json::Value as Json;

use crate::{Result, cargo, repository, stubs};

/// One registry of the program.
struct Registry {
    /// Its key in `unbraid list --json`, the name of its markers and of its page.
    key: &'static str,
    title: &'static str,
    about: &'static str,
    /// The head of a column and the key of its cells.
    columns: &'static [(&'static str, &'static str)],
}

const REGISTRIES: [Registry; 3] = [
    Registry {
        key: "models",
        title: "Models",
        about: "Methods that turn observations into codes.",
        columns: &[
            ("Name", "name"),
            ("What", "summary"),
            ("Supervision", "supervision"),
            ("Paper", "paper"),
        ],
    },
    Registry {
        key: "data",
        title: "Data sets",
        about: "Observations with their true factors, and ways to read your own.",
        columns: &[("Name", "name"), ("What", "summary"), ("Paper", "paper")],
    },
    Registry {
        key: "metrics",
        title: "Metrics",
        about: "Ways to judge codes. They see codes and true values, never a network.",
        columns: &[("Name", "name"), ("What", "summary"), ("Paper", "paper")],
    },
];

/// A file and what should be in it.
struct Page {
    path: String,
    text: String,
}

/// Write what has changed.
pub(crate) fn write() -> Result<()> {
    for Page { path, text } in outdated()? {
        fs::write(repository(&path), text)
            .map_err(|source| format!("cannot write {path}: {source}"))?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Refuse if anything would change.
pub(crate) fn check() -> Result<()> {
    let paths: Vec<String> = outdated()?.into_iter().map(|page| page.path).collect();
    match paths.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} not what the program says of itself; run `cargo xtask docs`",
            match &paths[..] {
                [one] => format!("{one} is"),
                many => format!("{} are", many.join(", ")),
            }
        )),
    }
}

/// Every page that differs from what is on disk.
fn outdated() -> Result<Vec<Page>> {
    let list: Json = serde_json::from_str(&unbraid(&["list", "--json"])?)
        .map_err(|source| format!("`unbraid list --json` prints no JSON: {source}"))?;
    let path = "README.md".to_string();
    let mut readme = fs::read_to_string(repository(&path))
        .map_err(|source| format!("cannot read {path}: {source}"))?;
    let mut pages = Vec::new();
    for registry in &REGISTRIES {
        let key = registry.key;
        let entries = list[key].as_array();
        let entries = entries.ok_or_else(|| format!("`unbraid list --json` has no `{key}`"))?;
        readme = between_markers(&readme, key, &table(registry, entries))
            .map_err(|reason| format!("{path} {reason}"))?;
        let explained: Result<Vec<String>> =
            entries.iter().map(|entry| unbraid(&["show", cell(entry, "name")])).collect();
        let text = page(registry, &explained?);
        pages.push(Page { path: format!("docs/{key}.md"), text });
        if key == "metrics" {
            pages.push(Page { path: stubs::PATH.into(), text: stubs::page(entries)? });
        }
    }
    pages.push(Page { path, text: readme });
    pages.retain(|page| {
        fs::read_to_string(repository(&page.path)).ok().as_ref() != Some(&page.text)
    });
    Ok(pages)
}

/// What the program prints.
fn unbraid(arguments: &[&str]) -> Result<String> {
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "unbraid", "--"]);
    let output = command.args(arguments).stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|source| format!("cannot run cargo: {source}"))?;
    if !output.status.success() {
        return Err(format!("`unbraid {}` failed", arguments.join(" ")));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`unbraid {}` prints no UTF-8", arguments.join(" ")))
}

/// What an entry says under a key, or nothing.
pub(crate) fn cell<'a>(entry: &'a Json, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_default()
}

/// A Markdown table, a row an entry.
fn table(registry: &Registry, entries: &[Json]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = registry.columns.iter().map(|(head, _)| (*head).to_string()).collect();
    let rule = format!("|{}\n", "---|".repeat(registry.columns.len()));
    let row = |entry: &Json| {
        let text = |key: &str| cell(entry, key).replace('|', "\\|").replace('\n', " ");
        let show = |&(_, key): &(&str, &str)| match key {
            "name" => format!("`{}`", text(key)),
            _ => text(key),
        };
        line(registry.columns.iter().map(show).collect())
    };
    line(head) + &rule + &entries.iter().map(row).collect::<String>()
}

/// All pages of a registry in one, each a section.
fn page(registry: &Registry, explained: &[String]) -> String {
    let mut out = format!(
        "<!-- Generated by `cargo xtask docs` from `unbraid show`; each page is in the source of \
         what it explains. -->\n\n# {}\n\n{}\n",
        registry.title, registry.about
    );
    for text in explained {
        out.push('\n');
        out.push_str(&one_level_down(text));
    }
    out
}

/// Headings one level deeper; a `#` in a fenced block is no heading.
fn one_level_down(markdown: &str) -> String {
    let mut fenced = false;
    let line = |line: &str| {
        fenced ^= line.starts_with("```");
        let deeper = if !fenced && line.starts_with('#') { "#" } else { "" };
        format!("{deeper}{line}\n")
    };
    markdown.lines().map(line).collect()
}

/// `text` with `table` between the lines `<!-- key -->` and `<!-- /key -->`.
fn between_markers(text: &str, key: &str, table: &str) -> Result<String> {
    let (open, close) = (format!("<!-- {key} -->\n"), format!("<!-- /{key} -->\n"));
    let whole_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    let find = |marker: &str, from: usize| {
        let found = text[from..].match_indices(marker).map(|(at, _)| from + at);
        let mut found = found.filter(|at| whole_line(*at));
        found.next().ok_or_else(|| format!("has no line `{}`", marker.trim_end()))
    };
    let start = find(&open, 0)? + open.len();
    let end = find(&close, start)?;
    Ok(format!("{}\n{table}\n{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let text = "# A\n<!-- data -->\nold\n<!-- /data -->\nSee `<!-- data -->`.\n";
        let new = between_markers(text, "data", "| new |\n").unwrap();
        assert_eq!(new, "# A\n<!-- data -->\n\n| new |\n\n<!-- /data -->\nSee `<!-- data -->`.\n");
        assert_eq!(between_markers(&new, "data", "| new |\n").unwrap(), new);
    }

    #[test]
    fn a_missing_marker_is_named() {
        let missing = |text: &str| between_markers(text, "data", "").unwrap_err();
        assert_eq!(missing("`<!-- data -->`\n"), "has no line `<!-- data -->`");
        assert_eq!(missing("<!-- /data -->\n<!-- data -->\n"), "has no line `<!-- /data -->`");
    }

    #[test]
    fn a_table_has_a_row_per_entry_and_a_bar_does_not_split_a_cell() {
        let entry = serde_json::json!({"name": "vae", "summary": "q(z|x)", "supervision": "none"});
        assert_eq!(
            table(&REGISTRIES[0], &[entry]),
            "| Name | What | Supervision | Paper |\n|---|---|---|---|\n\
             | `vae` | q(z\\|x) | none |  |\n"
        );
    }

    #[test]
    fn headings_go_one_level_down_but_not_in_code() {
        let text = "# A\n\n## B\n```\n# no heading\n```\n    # nor this\n";
        let expected = "## A\n\n### B\n```\n# no heading\n```\n    # nor this\n";
        assert_eq!(one_level_down(text), expected);
    }
}
