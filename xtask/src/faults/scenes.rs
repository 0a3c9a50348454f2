//! What is put under stress: each command with what must be there before, and what must be there in the end.

use super::models::{MODELS, Small, words};
use super::program::Words;

/// A command, and how it is repeated.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// Its name in the table and in `--only`.
    pub(super) name: String,
    /// What is done before, undisturbed.
    pub(super) before: Vec<Words>,
    /// Whether the last of `before` is killed on its way, so that the scene goes on with what it left.
    pub(super) interrupted: bool,
    /// What meets the faults.
    pub(super) command: Words,
    /// What is done after the fault.
    pub(super) again: Vec<Words>,
    /// The files that must then be as if nothing had happened.
    pub(super) results: Vec<&'static str>,
    /// Those of them that a command may leave to the next one, as it tells.
    pub(super) later: Vec<&'static str>,
    /// What may have been done instead, where it depends on who was first.
    pub(super) or: Option<Words>,
    /// Whether doing it again takes away the drafts of the one that was killed.
    pub(super) tidy: bool,
    /// What a reader makes of a directory between the fault and the repetition; it writes to `../glance.npz`.
    pub(super) glance: Option<Words>,
}

const RUN: [&str; 10] = [
    "run/README.md",
    "run/run.toml",
    "run/log.jsonl",
    "run/model.safetensors",
    "run/resume/checkpoint.safetensors",
    "run/base/README.md",
    "run/base/run.toml",
    "run/base/log.jsonl",
    "run/base/model.safetensors",
    "run/base/resume/checkpoint.safetensors",
];
/// They list what is there, so they are right when all else is.
const CARDS: [&str; 2] = [RUN[0], RUN[5]];
/// A training goes on without its figure, and draws it when it is called again.
const FIGURE: &str = "run/training.svg";
const SCORED: [&str; 2] = ["run/scores.json", "run/representation.npz"];
const REPORTED: [&str; 4] = ["run/report.html", "run/*.png", "run/*.svg", "run/*.gif"];
const STUDY: [&str; 7] = [
    "study/runs/*/run.toml",
    "study/runs/*/log.jsonl",
    "study/runs/*/model.safetensors",
    "study/runs/*/resume/checkpoint.safetensors",
    "study/runs/*/scores.json",
    "study/runs/*/representation.npz",
    "study/results.csv",
];

const SCORE: &str = "score --quiet run --metrics mig,mcc";
const REPORT: &str = "report --quiet run";
const ENCODE: &str = "encode --quiet run";
const PLAN: &str = "study plan --quiet ../material/study.toml --out study";
const WORK: &str = "study work --quiet study";
const GATHER: &str = "study gather --quiet study";
const IMPORT: &str = "data import --quiet mnist --from ../material/digits --unchecked";
const OTHER: &str = "data import --quiet mnist --from ../material/others --unchecked";
const MAKE: &str = "data make --quiet xy-object --rows 40 --out made.npz";

/// A small image model: the one on which everything else is tried.
fn vae() -> Words {
    MODELS[0].train()
}

fn scene(name: &str, before: Vec<Words>, command: Words, results: &[&'static str]) -> Scene {
    Scene {
        name: name.into(),
        before,
        interrupted: false,
        again: vec![command.clone()],
        command,
        results: results.to_vec(),
        later: CARDS.to_vec(),
        or: None,
        tidy: false,
        glance: None,
    }
}

/// Training a model from nothing.
pub(super) fn training(model: &Small) -> Scene {
    let name = if model.0 == "vae" { "train".into() } else { format!("train-{}", model.0) };
    trained(scene(&name, vec![], model.train(), &RUN))
}

fn trained(mut scene: Scene) -> Scene {
    scene.results.push(FIGURE);
    scene.later.push(FIGURE);
    Scene { tidy: true, ..scene }
}

/// Going on with a training that was killed.
pub(super) fn resuming() -> Scene {
    Scene { interrupted: true, ..trained(scene("resume", vec![vae()], vae(), &RUN)) }
}

pub(super) fn scoring() -> Scene {
    scene("score", vec![vae()], words(SCORE), &[&RUN[..5], &SCORED].concat())
}

pub(super) fn encoding() -> Scene {
    scene("encode", vec![vae()], words(ENCODE), &[&RUN[..5], &["run/codes.npz"]].concat())
}

pub(super) fn reporting() -> Scene {
    let results = [&RUN[..5], &SCORED, &REPORTED].concat();
    scene("report", vec![vae()], words(REPORT), &results)
}

fn planning() -> Scene {
    scene("study-plan", vec![], words(PLAN), &["study/study.toml"])
}

pub(super) fn working() -> Scene {
    let again = vec![words(WORK), words(GATHER)];
    Scene { again, ..scene("study-work", vec![words(PLAN)], words(WORK), &STUDY) }
}

pub(super) fn gathering() -> Scene {
    let results = ["study/results.csv", "study/table.csv", "study/results.parquet"];
    scene("study-gather", vec![words(PLAN), words(WORK)], words(GATHER), &results)
}

pub(super) fn importing() -> Scene {
    Scene { tidy: true, ..scene("import", vec![], words(IMPORT), &["library/mnist/*"]) }
}

/// Importing in place of an earlier import: whoever reads in between sees the one or the other.
fn replacing() -> Scene {
    let glance = Some(words("data make --quiet mnist --out ../glance.npz"));
    let scene = scene("import-over", vec![words(IMPORT)], words(OTHER), &["library/mnist/*"]);
    Scene { tidy: true, glance, ..scene }
}

fn making() -> Scene {
    scene("make", vec![], words(MAKE), &["made.npz"])
}

/// Those whose calls fail one by one, and in which the power is cut.
pub(super) fn all() -> Vec<Scene> {
    let with_base = MODELS.iter().find(|model| model.0 == "citris-nf");
    let based = with_base.map(training);
    let scenes = [training(&MODELS[0]), resuming(), scoring(), encoding(), reporting(), planning()];
    let others = [working(), gathering(), importing(), replacing(), making()];
    scenes.into_iter().chain(based).chain(others).collect()
}

/// Those that are killed at random moments: every kind of model, and whatever takes long.
pub(super) fn long() -> Vec<Scene> {
    let models = MODELS.iter().map(training);
    models.chain([scoring(), reporting(), working(), encoding(), importing()]).collect()
}

/// Two commands on one directory at once.
pub(super) fn pairs() -> Vec<(Scene, Words)> {
    let twice = |name: &str, scene: Scene| {
        let second = scene.command.clone();
        (Scene { name: name.into(), ..scene }, second)
    };
    let mixed = |name: &str, scene: Scene, second: &str| {
        let again = vec![scene.command.clone(), words(second)];
        (Scene { name: name.into(), again, ..scene }, words(second))
    };
    // The page shows scores in the order in which they were computed, so it is left out there.
    let results = [&RUN[..5], &SCORED].concat();
    let page = Scene { results, ..reporting() };
    vec![
        twice("two resume", resuming()),
        twice("two begin", training(&MODELS[0])),
        other_seed(),
        mixed("resume beside score", resuming(), SCORE),
        twice("two scores", scoring()),
        twice("two reports", reporting()),
        mixed("report beside score", page, SCORE),
        mixed("report beside resume", reporting(), &vae().join(" ")),
        twice("two encodes", encoding()),
        twice("two workers", working()),
        twice("two imports", importing()),
        other_digits(),
    ]
}

/// Two trainings with different settings in one directory: the run is the one or the other.
fn other_seed() -> (Scene, Words) {
    let second = [vae(), words("--seed 1")].concat();
    let scene = training(&MODELS[0]);
    let again = vec![words("train --quiet --resume --out run")];
    let or = Some(second.clone());
    (Scene { name: "two begin with other seeds".into(), again, or, ..scene }, second)
}

/// Two imports of different files.
fn other_digits() -> (Scene, Words) {
    let again = vec![words("data make --quiet mnist --out made.npz")];
    let or = Some(words(OTHER));
    let results = vec!["library/mnist/*", "made.npz"];
    let later = vec!["made.npz"];
    let name = "two imports of other files".into();
    (Scene { name, again, results, later, or, ..importing() }, words(OTHER))
}

/// What is flipped in: a run with its scores, a study, imported data; with what is then done with it.
pub(super) fn subjects() -> Vec<(Scene, Words)> {
    // Not the card, which says what else was there when it was written.
    let results = [&RUN[1..5], &SCORED, &["run/codes.npz"]].concat();
    let again = vec![vae(), words(SCORE), words(ENCODE)];
    let run = Scene { again, ..scene("run", vec![vae(), words(SCORE)], words(ENCODE), &results) };
    let before = vec![words(PLAN), words(WORK)];
    let encode = |run: &str| words(&format!("encode --quiet study/runs/{run} --out {run}.npz"));
    let runs = ["vae-seed-0", "vae-seed-1", "pca-seed-0", "pca-seed-1"].map(encode);
    let again = [vec![words(WORK), words(GATHER)], runs.to_vec()].concat();
    let results = [&STUDY[..], &["*.npz"]].concat();
    let study = Scene { again, ..scene("study", before, words(GATHER), &results) };
    let read = words("data make --quiet mnist --out made.npz");
    let data = scene("data", vec![words(IMPORT)], read, &["made.npz"]);
    vec![(run, words("check run")), (study, words("check study")), (data, words("check mnist"))]
}

/// The scenes of a short run: one of each sort that can go wrong in its own way.
pub(super) const SHORT: [&str; 10] = [
    "train",
    "train-pca",
    "score",
    "study-work",
    "import-over",
    "two resume",
    "two imports",
    "run",
    "study",
    "data",
];
