//! The files of a run directory, in one list: what each is, and whether it is made from the weights, so
//! that new weights make it stale. Figures are in the list of `figures/`.

use std::fs;
use std::path::Path;

use super::directory::Run;
use crate::figures::{
    Command, FIGURES, acts, confusion, interactions, rollout, sets, temporal, triplets,
};

/// Every setting.
pub const SETTINGS: &str = "run.toml";
/// The run of a base that was trained for this one.
pub const BASE: &str = "base/";
/// The terms of the loss, a row per logged step.
pub const LOG: &str = "log.jsonl";
/// The weights.
pub const MODEL: &str = "model.safetensors";
/// The folder of what is needed to go on.
pub const RESUME: &str = "resume";
/// The weights and the optimiser's state, to resume from.
pub const CHECKPOINT: &str = "resume/checkpoint.safetensors";
/// Where TensorBoard looks.
pub const TENSORBOARD: &str = "tb/";
/// The model card.
pub const CARD: &str = "README.md";
/// The codes and true values of the rows that are scored.
pub const REPRESENTATION: &str = "representation.npz";
/// The results of the metrics.
pub const SCORES: &str = "scores.json";
/// The IWAE bound of log p(x).
pub const BOUND: &str = "bound.json";
/// The learned graph, as numbers.
pub const GRAPH: &str = "graph.json";
/// The temporal graph over the variables that were found, as numbers.
pub const TEMPORAL: &str = "temporal-graph.json";
/// What interventions do, measured.
pub const EFFECTS: &str = "effects.json";
/// Some factors of one image in another, as `unbraid intervene --swap` draws it if not told otherwise.
pub const SWAP: &str = "swap.png";
/// Rows under the one intervention that `unbraid intervene --do` was asked for last.
pub const COUNTERFACTUAL: &str = "counterfactual.png";
/// How far predicted mixtures of two images are from the true ones.
pub const TRIPLETS: &str = "triplets.json";
/// Which factors actions touch, learned and true.
pub const INTERACTIONS: &str = "interactions.json";
/// Which actions are told right.
pub const ACTIONS: &str = "actions.json";
/// What the model makes of actions, against the true images.
pub const ACTED: &str = "acted.json";
/// The codes that `unbraid encode` writes if not told otherwise.
pub const CODES: &str = "codes.npz";
/// The page about the run.
pub const REPORT: &str = "report.html";

/// A file that we write.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    words: &'static str,
    /// Whether it is made from the weights, and no longer true once they change.
    is_result: bool,
}

const fn kept(name: &'static str, words: &'static str) -> Entry {
    Entry { name, words, is_result: false }
}

const fn result(name: &'static str, words: &'static str) -> Entry {
    Entry { name, words, is_result: true }
}

/// Every file in the order in which they come to be; figures come between these and [`LAST`].
const FIRST: [Entry; 26] = [
    kept(SETTINGS, "every setting"),
    kept(BASE, "the run of the autoencoder that it stands on"),
    kept(LOG, "the terms of the loss, a row per logged step"),
    kept(MODEL, "the weights"),
    kept(CHECKPOINT, "the weights and the optimiser, to go on from"),
    kept(TENSORBOARD, "TensorBoard events"),
    kept(CARD, "the model card"),
    result(REPRESENTATION, "codes and true values of the rows that are scored"),
    result(SCORES, "the scores"),
    result(sets::FILE, "how well each set of codes predicts each factor"),
    result(BOUND, "how likely the model finds the data"),
    result(GRAPH, "the graph, as numbers"),
    result(TEMPORAL, "what causes what at the next step, as numbers"),
    result(temporal::FILE, "what causes what at the next step"),
    result(EFFECTS, "what interventions do, measured"),
    result(INTERACTIONS, "which factors actions touch, learned and true"),
    result(interactions::FILE, "where an action touches each factor, learned and true"),
    result(ACTIONS, "which actions are told right"),
    result(confusion::FILE, "which factor is told beside the one that was changed"),
    result(ACTED, "what the model makes of actions, against the true images"),
    result(acts::FILE, "what each action does to an image: cells it touches, model, truth, graph"),
    result(TRIPLETS, "how far predicted mixtures of two images are from the true ones"),
    result(triplets::FILE, "two images, their mixture by the model, and the true one"),
    result(COUNTERFACTUAL, "rows as they would be under an intervention that was asked for"),
    result(SWAP, "some factors of one image in another"),
    result(rollout::FILE, "what follows a frame, by the model and by the simulator"),
];

const LAST: [Entry; 2] = [
    kept(CODES, "codes that were asked for with `unbraid encode`"),
    result(REPORT, "this run on one page"),
];

/// Every file, figures too.
fn all() -> impl Iterator<Item = Entry> {
    // The figure of the log is as true as the log, whatever the weights are.
    let figures = FIGURES.iter().flat_map(|figure| {
        let is_result = figure.command != Command::Train;
        figure.files.iter().map(move |&(name, words)| Entry { name, words, is_result })
    });
    FIRST.into_iter().chain(figures).chain(LAST)
}

/// The names of our documents.
pub(super) fn documents() -> impl Iterator<Item = &'static str> {
    all().map(|file| file.name).filter(|name| name.ends_with(".json"))
}

/// The names of the files that new weights make stale.
pub(super) fn results() -> impl Iterator<Item = &'static str> {
    all().filter(|file| file.is_result).map(|file| file.name)
}

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
        let content = |Entry { name, words, .. }: Entry| {
            Some(Content { name, words, bytes: size(&self.file(name))? })
        };
        all().filter_map(content).collect()
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
