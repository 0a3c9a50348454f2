//! What every method promises, checked for each entry of the registry.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use toml::Table;
use unbraid::data::{Range, Shape, Supervision};
use unbraid::evaluate::encode;
use unbraid::model::entry::Entry;
use unbraid::model::learner::Learner;
use unbraid::model::{Grid, Step, Task};
use unbraid::models::MODELS;
use unbraid::rng::Rng;
use unbraid::run::bench::Workload;
use unbraid::run::config::Config;
use unbraid::run::train::{Ending, train};
use unbraid::run::{Plan, Run};
use unbraid::watch::{Nobody, Progress, Watch};

/// Small data with what the method learns from: `squares`, sources in segments where labels are
/// segments, a small pendulum where they are concepts, small worlds where it learns from time.
fn small_data(entry: &Entry) -> &'static str {
    const SEGMENTS: [&str; 3] = ["ivae", "tcl", "segment-flow"];
    const NAMED: [&str; 3] = ["ct-vae", "pair-classifier", "pair-discriminant"];
    match entry.supervision {
        Supervision::Labels if SEGMENTS.contains(&entry.info.name) => {
            "{ name = 'mixing', sources = 4, segments = 8, points = 50 }"
        }
        Supervision::Labels => {
            "{ name = 'pendulum', variant = { size = 16, keep = { pendulum = '-4..4' } } }"
        }
        Supervision::Time(_) | Supervision::Targets(_) => {
            "{ name = 'pong', frames = 400, variant = { size = 16 } }"
        }
        Supervision::Actions(_) if NAMED.contains(&entry.info.name) => {
            "{ name = 'squares', variant = { transitions = { contexts = 40 } } }"
        }
        Supervision::Actions(_) => "{ name = 'voronoi', frames = 400, variant = { size = 16 } }",
        _ => "{ name = 'squares' }",
    }
}

/// A configuration that is quick for any method: small data, four latents, a few steps.
fn small(entry: &Entry, seed: u64, steps: u64) -> Plan {
    planned(entry, seed, steps, "1e-3")
}

fn planned(entry: &Entry, seed: u64, steps: u64, rate: &str) -> Plan {
    let mut text = format!(
        "seed = {seed}\ndata = {}\nmodel.name = '{}'\n\
         train = {{ steps = {steps}, batch = 32, learning_rate = {rate}, log_every = 1, threads = 2 }}\n",
        small_data(entry),
        entry.info.name
    );
    text += match entry.base {
        Some("autoencoder") => {
            "model.base = { latents = 4, channels = 4, steps = 2, batch = 32 }\n"
        }
        Some(_) => "model.base = { codes = 8, channels = 4, steps = 2, batch = 32 }\n",
        None => "",
    };
    let has_recipe = !entry.recipe.is_empty();
    let keys = [("latents", "4", true), ("imitation", "10", true), ("channels", "4", has_recipe)];
    for (key, value, wanted) in keys {
        if wanted && defaults(entry).contains_key(key) {
            text += &["model.", key, " = ", value, "\n"].concat();
        }
    }
    Config::from_table(text.parse().unwrap()).unwrap().resolve().unwrap()
}

fn defaults(entry: &Entry) -> Table {
    let mut given: Table = format!("data = {}", small_data(entry)).parse().unwrap();
    let mut given = given.remove("data").unwrap().as_table().unwrap().clone();
    let name = given.remove("name").unwrap();
    let (data, _) = unbraid::data::open(name.as_str().unwrap(), &given).unwrap();
    let mut task = Task::of(&*data);
    if entry.base.is_some() {
        task.shape = Shape { channels: 4, height: 1, width: 1, range: Range::Real };
        task.grid = Some(Grid { books: 1, codes: 8, height: 2, width: 2 });
    }
    (entry.configure)(&Table::new(), &task).expect("a method builds from its defaults").settings()
}

fn trained(directory: &Path, plan: &Plan) -> Run {
    let run = Run::create(directory, plan).unwrap();
    assert_eq!(train(&run, plan, &Nobody).unwrap(), Ending::Finished);
    run
}

fn losses(run: &Run) -> Vec<f64> {
    let log = std::fs::read_to_string(run.directory().join("log.jsonl")).unwrap();
    let loss =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["loss"].as_f64();
    log.lines().map(|line| loss(line).expect("every row has a finite loss")).collect()
}

#[test]
fn the_cards_are_complete_and_the_names_unique() {
    for (i, entry) in MODELS.iter().enumerate() {
        let info = entry.info;
        assert!(!info.title.is_empty() && !info.page.is_empty(), "{}", info.name);
        assert!(info.summary.len() < 100, "{}: the summary is a line of a table", info.name);
        assert!(MODELS[..i].iter().all(|other| other.info.name != info.name), "{}", info.name);
    }
}

#[test]
fn an_unknown_key_is_refused() {
    let task = Task::observing(small(&MODELS[0], 0, 0).task.shape, 100);
    for entry in MODELS {
        let given: Table = "no-such-key = 1".parse().unwrap();
        let refused = (entry.configure)(&given, &task).err().unwrap().to_string();
        assert!(refused.contains("setting `model.no-such-key` is unknown"), "{refused}");
    }
}

#[test]
fn data_without_the_supervision_a_method_needs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plain.npz");
    let mut file = unbraid_measure::npz::NpzWriter::create(&path).unwrap();
    file.array("images", &[40, 16, 16], &vec![9u8; 40 * 256]).unwrap();
    file.finish().unwrap();
    for entry in MODELS {
        let text = format!(
            "data.name = 'arrays'\ndata.path = '{}'\nmodel.name = '{}'\ntrain.batch = 8",
            path.display(),
            entry.info.name
        );
        let plan = Config::from_table(text.parse().unwrap()).unwrap().resolve();
        assert_eq!(plan.is_ok(), entry.supervision == Supervision::None, "{}", entry.info.name);
    }
}

#[test]
fn every_weight_learns_and_the_loss_falls() {
    for entry in MODELS.iter().filter(|entry| entry.takes_steps) {
        let plan = small(entry, 0, 60);
        let directory = tempfile::tempdir().unwrap();
        let run = trained(&directory.path().join("run"), &plan);
        let losses = losses(&run);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let (first, last) = (mean(&losses[..5]), mean(&losses[55..]));
        assert!(last < 0.9 * first, "{}: {first} to {last}", entry.info.name);

        let rng = Rng::new(0).split("weights");
        let fresh = plan.build(run.directory(), &rng).unwrap().weights();
        // The parts of a linear map that stay as they were drawn, and what images are stretched by.
        let ends = ["mix.sign", "mix.permutation", "pixels.gain"];
        let fixed = |name: &str| ends.iter().any(|end| name.ends_with(end));
        let weights = run.learner(&plan).unwrap().weights();
        for (name, weight) in weights.into_iter().filter(|(name, _)| !fixed(name)) {
            assert_ne!(weight, fresh[&name], "{}: `{name}` never changed", entry.info.name);
        }
    }
}

/// Twenty-dimensional vectors that depend on two hidden numbers, as a file a user might bring.
fn vectors(directory: &Path) -> PathBuf {
    let path = directory.join("vectors.npz");
    let mut rng = Rng::new(9);
    let mut rows = Vec::new();
    for _ in 0..200 {
        let (a, b) = (rng.normal(), rng.normal());
        rows.extend((0..20).map(|k| 3.0 * (a * (k as f32).sin() + b * (k as f32).cos())));
    }
    let mut file = unbraid_measure::npz::NpzWriter::create(&path).unwrap();
    file.array("x", &[200, 20], &rows).unwrap();
    file.finish().unwrap();
    path
}

#[test]
fn a_beta_vae_learns_from_every_form_of_observation() {
    let directory = tempfile::tempdir().unwrap();
    let vectors = vectors(directory.path());
    let cases = [
        // Vectors choose the dense net and the Gaussian likelihood by themselves.
        (format!("data.name = '{}'\nmodel.width = 32", vectors.display()), "fc", "gaussian"),
        ("data.name = 'squares'\nmodel.net = 'conv4'".into(), "conv4", "bernoulli"),
        ("data.name = 'squares'\nmodel.likelihood = 'gaussian'".into(), "conv", "gaussian"),
        // Four channels, 96 pixels, and labels that are not looked at.
        ("data.name = 'pendulum'\ntrain.batch = 2".into(), "conv", "bernoulli"),
        ("data.name = 'dsprites'\ntrain.batch = 2".into(), "conv", "bernoulli"),
    ];
    for (i, (text, net, likelihood)) in cases.into_iter().enumerate() {
        let text = format!(
            "{text}\nmodel.name = 'beta-vae'\ntrain.steps = 20\ntrain.log_every = 1\n\
             train.learning_rate = 1e-3\ntrain.threads = 2"
        );
        let plan = Config::from_table(text.parse().unwrap()).unwrap().resolve().unwrap();
        assert_eq!(plan.config.model["net"].as_str(), Some(net), "{text}");
        assert_eq!(plan.config.model["likelihood"].as_str(), Some(likelihood), "{text}");
        let run = trained(&directory.path().join(i.to_string()), &plan);
        let losses = losses(&run);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        assert!(mean(&losses[15..]) < mean(&losses[..3]), "{text}: {losses:?}");
        let codes = encode::encode(&*run.learner(&plan).unwrap(), &*plan.data, &[0, 1, 2], &Nobody)
            .unwrap();
        assert_eq!(codes.codes.shape(), [3, 10]);
    }
}

#[test]
fn what_was_saved_encodes_and_decodes_as_what_was_trained() {
    // One with a base of its own is looked at in `stacked.rs`.
    for entry in MODELS.iter().filter(|entry| entry.base.is_none()) {
        let plan = small(entry, 0, 3);
        let directory = tempfile::tempdir().unwrap();
        let run = Run::create(directory.path().join("run"), &plan).unwrap();
        let rng = Rng::new(5);
        let mut trained = plan.build(run.directory(), &rng).unwrap();
        trained.fit(&*plan.data, &rng, &Nobody).unwrap();
        let sampler = plan.sampler(rng.clone()).unwrap();
        for step in 0..if entry.takes_steps { 3 } else { 0 } {
            trained.step(&sampler.draw(step, 16), Step::new(step, 3, &rng), 1e-2);
        }
        run.save(&*trained, 3, None).unwrap();

        let loaded = Run::open(run.directory()).unwrap().learner(&plan).unwrap();
        let rows: Vec<usize> = (0..20).collect();
        let codes = |learner: &dyn Learner| {
            encode::encode(learner, &*plan.data, &rows, &Nobody).unwrap().codes
        };
        let expected = codes(&*trained);
        assert!(expected.iter().all(|code| code.is_finite()), "{}", entry.info.name);
        assert_eq!(codes(&*loaded), expected, "{}", entry.info.name);
        let decoded = trained.decode(expected.view());
        assert_eq!(loaded.decode(expected.view()), decoded, "{}", entry.info.name);
        if let Some(decoded) = decoded {
            assert_eq!(decoded.shape(), [20, plan.task.shape.size()], "{}", entry.info.name);
        }
    }
}

#[test]
fn equal_seeds_give_equal_bytes_and_other_seeds_others() {
    for entry in MODELS {
        let bytes = |seed: u64| {
            let directory = tempfile::tempdir().unwrap();
            let run = trained(&directory.path().join("run"), &small(entry, seed, 5));
            let read = |name: &str| std::fs::read(run.directory().join(name)).unwrap();
            (read("model.safetensors"), read("log.jsonl"))
        };
        let first = bytes(1);
        assert_eq!(first, bytes(1), "{}", entry.info.name);
        if entry.takes_steps {
            let other = bytes(2);
            assert!(first.0 != other.0 && first.1 != other.1, "{}", entry.info.name);
        }
    }
}

/// Asks to stop after so many steps.
struct StopsAfter {
    steps: u64,
    taken: AtomicU64,
}

impl Watch for StopsAfter {
    fn progress(&self, now: &Progress) {
        self.taken.store(now.steps.map_or(0, |[taken, _]| taken), Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= self.steps
    }
}

/// Moments of every player, schedules and noise go on where they were.
#[test]
fn a_run_that_was_stopped_and_resumed_ends_with_the_same_bytes() {
    let rate = "{ schedule = 'cosine', from = 2e-3, to = 1e-4, steps = 6 }";
    for entry in MODELS.iter().filter(|entry| entry.takes_steps) {
        let plan = planned(entry, 0, 6, rate);
        let directory = tempfile::tempdir().unwrap();
        let whole = trained(&directory.path().join("whole"), &plan);
        let broken = Run::create(directory.path().join("broken"), &plan).unwrap();
        let stopping =
            |steps| train(&broken, &plan, &StopsAfter { steps, taken: AtomicU64::new(0) }).unwrap();
        // Before the first step: whatever a method does to its data first is heard to be asked.
        let Ending::Interrupted(0 | 1) = stopping(0) else { panic!("{}", entry.info.name) };
        assert_eq!(stopping(3), Ending::Interrupted(3), "{}", entry.info.name);
        assert_eq!(train(&broken, &plan, &Nobody).unwrap(), Ending::Finished);
        for name in ["model.safetensors", "log.jsonl", "resume/checkpoint.safetensors"] {
            let read = |run: &Run| std::fs::read(run.directory().join(name)).unwrap();
            assert!(read(&whole) == read(&broken), "{}: {name} differs", entry.info.name);
        }
    }
}

/// Also a method with labels, pairs or actions can be timed: its draw has what it learns from.
#[test]
fn every_method_that_takes_steps_can_be_timed() {
    let shape = Shape { channels: 1, height: 16, width: 16, range: Range::Unit };
    for entry in MODELS.iter().filter(|entry| entry.takes_steps) {
        let workload = Workload { entry, settings: Table::new(), shape, batch: 4, repeats: 2 };
        for time in [workload.step(), workload.encode()] {
            let time = time.unwrap_or_else(|error| panic!("{}: {error}", entry.info.name));
            assert!(time.best_milliseconds > 0.0 && time.best_milliseconds <= time.milliseconds);
        }
    }
}
