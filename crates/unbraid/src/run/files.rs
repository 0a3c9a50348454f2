//! What is in a run directory, for people who find one: a line about each file.

use std::fs;
use std::path::Path;

use super::directory::Run;

/// Every file that we write, in the order in which they come to be.
const FILES: [(&str, &str); 22] = [
    ("run.toml", "every setting"),
    ("log.jsonl", "the terms of the loss, a row per logged step"),
    ("model.safetensors", "the weights"),
    ("resume/checkpoint.safetensors", "the weights and the optimiser, to go on from"),
    ("tb/", "TensorBoard events"),
    ("training.svg", "the log as curves"),
    ("README.md", "the model card"),
    ("representation.npz", "codes and true values of the rows that are scored"),
    ("scores.json", "the scores"),
    ("bound.json", "how likely the model finds the data"),
    ("graph.json", "the graph, as numbers"),
    ("graph.svg", "the graph, drawn"),
    ("effects.json", "what interventions do, measured"),
    ("interventions.png", "what interventions do, in pictures"),
    ("traversal.png", "what each code does"),
    ("traversal.gif", "the same, moving"),
    ("reconstructions.png", "observations and what is decoded from their codes"),
    ("factors.svg", "codes against true factors"),
    ("matching.svg", "each factor against the code it is matched to"),
    ("layers.svg", "the codes of each layer, coloured by a factor"),
    ("codes.npz", "codes that were asked for with `unbraid encode`"),
    ("report.html", "this run on one page"),
];

/// A file of a run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its name; that of a folder ends with a slash.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    /// How large it is.
    pub bytes: u64,
}

impl Run {
    /// The files that are there.
    pub fn contents(&self) -> Vec<Content> {
        let content = |&(name, words): &(&'static str, &'static str)| {
            Some(Content { name, words, bytes: size(&self.file(name))? })
        };
        FILES.iter().filter_map(content).collect()
    }
}

/// The bytes of a file, or of all files of a folder; nothing if it is not there.
fn size(path: &Path) -> Option<u64> {
    let found = fs::metadata(path).ok()?;
    if !found.is_dir() {
        return Some(found.len());
    }
    let entries = fs::read_dir(path).ok()?.flatten();
    Some(entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum())
}
