//! The dependency rule: a file may use what stands left of it, never what stands right, and a leaf
//! never another leaf. Read from the `crate::` paths of the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules that may use each other stand in one group.
const MEASURE: &[&[&str]] = &[
    &["error"],
    &["files", "info", "rng", "watch"],
    &["npz", "settings"],
    &["tables"],
    &["factors", "graph"],
    &["stats"],
    &["predictors"],
    &["causal", "components"],
    &["representation"],
    &["data"],
    &["metrics"],
    &["cautions"],
    &["doctor"],
    &["scoring"],
    &["stress"],
];

const UNBRAID: &[&[&str]] = &[
    &["error"],
    &["compute"],
    &["model"],
    &["parts"],
    &["models"],
    &["evaluate"],
    &["intervene"],
    &["draw"],
    &["figures"],
    &["stress"],
    &["run"],
    &["report"],
    &["study"],
    &["fetch"],
];

/// Leaves: files of these folders share only through what stands left of the folder.
const LEAVES: &[&str] = &["metrics", "models", "figures"];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the sources are there") {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The first word after each `crate::`, with braces taken apart one level deep, outside comments.
fn used(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `unbraid_crate::` and the like are other words.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let word = |text: &str| -> String {
            text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        match rest.strip_prefix('{') {
            None => names.push(word(rest)),
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                names.extend(list.split(',').map(word));
            }
        }
    }
    names
}

fn check(root: &str, layers: &[&[&str]], outside: &[&str]) {
    let rank = |module: &str| layers.iter().position(|group| group.contains(&module));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let mut seen = 0;
    for path in sources(&root) {
        let relative = path.strip_prefix(&root).expect("below the root");
        let module = relative.components().next().expect("a name").as_os_str().to_string_lossy();
        let module = module.trim_end_matches(".rs");
        if outside.contains(&module) {
            continue;
        }
        let place = rank(module)
            .unwrap_or_else(|| panic!("`{module}` has no place in tests/layers.rs; give it one"));
        let text = fs::read_to_string(&path).expect("a readable source");
        for name in used(&text) {
            seen += 1;
            // A capital is a type re-exported at the top: `crate::Error`.
            let Some(other) = rank(&name) else {
                assert!(
                    name.starts_with(char::is_uppercase),
                    "{} uses unknown `{name}`",
                    path.display()
                );
                continue;
            };
            assert!(
                other <= place,
                "{} uses `{name}`, which stands to the right of `{module}`",
                path.display()
            );
            let neighbour =
                (module == "metrics" && name == "data") || (module == "data" && name == "metrics");
            assert!(!neighbour, "{}: data and metrics do not know each other", path.display());
            let leaf = LEAVES.contains(&module) && !relative.ends_with("mod.rs");
            assert!(
                !(leaf && name == module),
                "{} is a leaf and uses another `{module}`",
                path.display()
            );
        }
    }
    assert!(seen > 20, "only {seen} uses were found; does the reader of sources still work?");
}

#[test]
fn measure_is_used_from_left_to_right() {
    check("../measure/src", MEASURE, &["lib"]);
}

#[test]
fn unbraid_is_used_from_left_to_right() {
    check("src", UNBRAID, &["lib", "main", "cli"]);
}

#[test]
fn a_leaf_does_not_reach_its_sibling_through_super() {
    for (root, folder) in [("../measure/src", "metrics"), ("src", "models")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(root).join(folder);
        let files = sources(&folder);
        let names: Vec<String> =
            files.iter().map(|f| f.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        assert!(names.len() > 3, "{} was read", folder.display());
        for path in files.iter().filter(|path| !path.ends_with("mod.rs")) {
            let text = fs::read_to_string(path).expect("a readable source");
            for name in &names {
                let reach = [format!("super::{name}::"), format!("super::{{{name}::")];
                let reached = reach.iter().any(|reach| text.contains(reach));
                assert!(!reached, "{} uses its sibling `{name}`", path.display());
            }
        }
    }
}

#[test]
fn only_the_left_of_the_flow_names_burn() {
    const MAY: &[&str] = &["compute", "model", "parts", "models"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        let relative = path.strip_prefix(&root).expect("below the root");
        let module = relative.components().next().expect("a name").as_os_str().to_string_lossy();
        let text = fs::read_to_string(&path).expect("a readable source");
        let may = MAY.contains(&module.trim_end_matches(".rs"));
        assert!(may || !text.contains("burn::"), "{} names burn", path.display());
    }
}

#[test]
fn only_the_command_line_knows_it_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        let text = fs::read_to_string(&path).expect("a readable source");
        let inside = path.starts_with(root.join("cli")) || path.ends_with("main.rs");
        assert!(inside || !text.contains("clap"), "{} knows the command line", path.display());
    }
}

#[test]
fn the_reader_of_sources_sees_every_form() {
    let text = "// crate::comment\nuse crate::{alpha, beta::Gamma};\nlet x = crate::delta::f();";
    assert_eq!(used(text), ["alpha", "beta", "delta"]);
}
