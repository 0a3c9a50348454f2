//! Models of time on small worlds: training in two stages, what is refused, and what can be asked of a
//! trained run.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use unbraid::data;
use unbraid::intervene::causal_encoder::CausalEncoder;
use unbraid::intervene::rollout::Course;
use unbraid::intervene::triplets;
use unbraid::rng::Rng;
use unbraid::run::config::Config;
use unbraid::run::train::{Ending, train};
use unbraid::run::{Plan, Run, TrainedRun};
use unbraid::watch::{Nobody, Progress, Watch};

const PONG: &str = "data = { name = 'pong', frames = 300 }";
const FLOW: &str = "model = { name = 'citris-nf', flow_layers = 2, prior_width = 8, \
                    base = { latents = 6, channels = 4, steps = 4, batch = 16 } }";
const TINY: &str = "train = { steps = 4, batch = 16, threads = 2, log_every = 1 }";

fn planned(text: &str) -> unbraid::Result<Plan> {
    Config::from_table(text.parse().unwrap())?.resolve()
}

fn refused(data: &str, model: &str) -> String {
    planned(&format!("{data}\nmodel = {model}\n{TINY}")).err().unwrap().to_string()
}

fn trained(directory: &Path, text: &str) -> TrainedRun {
    let plan = planned(text).unwrap();
    let run = Run::create(directory, &plan).unwrap();
    assert_eq!(train(&run, &plan, &Nobody).unwrap(), Ending::Finished);
    TrainedRun::with(run, plan).unwrap()
}

/// Asks to stop after so many steps, and keeps what it was told.
#[derive(Default)]
struct Stops {
    after: u64,
    taken: AtomicU64,
    all: AtomicU64,
}

impl Watch for Stops {
    fn progress(&self, now: &Progress) {
        if let Some([taken, all]) = now.steps {
            self.taken.store(taken, Ordering::Relaxed);
            self.all.store(all, Ordering::Relaxed);
        }
    }

    fn stopped(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= self.after
    }
}

#[test]
fn an_autoencoder_is_trained_first_and_either_stage_resumes() {
    let place = tempfile::tempdir().unwrap();
    let text = format!("{PONG}\n{FLOW}\n{TINY}");
    let whole = trained(&place.path().join("whole"), &text);
    assert!(whole.run().directory().join("base/model.safetensors").is_file());
    let bytes = |run: &Run, name: &str| std::fs::read(run.directory().join(name)).unwrap();
    for after in [2, 6] {
        let plan = planned(&text).unwrap();
        let run = Run::create(place.path().join(format!("{after}")), &plan).unwrap();
        let stops = Stops { after, ..Stops::default() };
        assert_eq!(train(&run, &plan, &stops).unwrap(), Ending::Interrupted(after));
        assert_eq!(stops.all.load(Ordering::Relaxed), 8, "both stages are one progress");
        let again = Run::open(run.directory()).unwrap();
        let plan = again.config().clone().resolve().unwrap();
        assert_eq!(train(&again, &plan, &Nobody).unwrap(), Ending::Finished);
        for name in ["model.safetensors", "log.jsonl", "base/model.safetensors"] {
            assert!(bytes(whole.run(), name) == bytes(&run, name), "{name} after {after}");
        }
    }
    // Found again from the directory alone; latents are decoded to images through the base.
    let again = TrainedRun::open(whole.run().directory()).unwrap();
    let codes = again.encode(None, Some(5), &Nobody).unwrap();
    assert_eq!(codes.codes.dim(), (5, 6));
    assert_eq!(again.learner().decode(codes.codes.view()).unwrap().dim(), (5, 4 * 32 * 32));
    assert_eq!(again.learner().blocks().unwrap().len(), 6);
    // An autoencoder that was trained before serves as well, wherever it is.
    let base = whole.run().directory().join("base");
    let named = format!("model = {{ name = 'citris-nf', base = '{}' }}", base.display());
    assert!(planned(&format!("{PONG}\n{named}\n{TINY}")).is_ok());
    let small = "data = { name = 'pong', frames = 300, variant = { size = 16 } }";
    let other = planned(&format!("{small}\n{named}\n{TINY}")).err().unwrap().to_string();
    assert!(other.contains("was trained on 4x32x32, and these data are 4x16x16"), "{other}");
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_the_way_out() {
    let squares = "data.name = 'squares'";
    let said = refused(squares, "{ name = 'citris-vae' }");
    assert!(said.contains("intervenes on a factor") && said.contains("slow-vae"), "{said}");
    let said = refused(PONG, "{ name = 'biscuit-vae' }");
    assert!(said.contains("have no actions") && said.contains("citris-vae"), "{said}");
    let said = refused(squares, "{ name = 'slow-vae' }");
    assert!(said.contains("rows that follow each other"), "{said}");
    let alone = "data = { name = 'pong', frames = 300, part = 'test_indep' }";
    let said = refused(alone, "{ name = 'citris-vae' }");
    assert!(said.contains("intervenes on a factor"), "{said}");
    let said = refused(PONG, "{ name = 'citris-nf', base = { chanels = 4 } }");
    assert!(said.contains("model.base") && said.contains("did you mean `channels`?"), "{said}");
}

#[test]
fn images_are_mixed_by_their_latents_and_judged_by_triplets() {
    let place = tempfile::tempdir().unwrap();
    let model = "model = { name = 'citris-vae', latents = 6, channels = 4, lambda = 0 }";
    let run = trained(&place.path().join("run"), &format!("{PONG}\n{model}\n{TINY}"));
    let settings = "frames = 300\npart = 'test_triplets'".parse().unwrap();
    let (data, _) = data::open("pong", &settings).unwrap();
    let rng = Rng::new(0);
    let encoder = CausalEncoder::taught(&*run.plan().data, 20, &rng, &Nobody).unwrap();
    let blocks = run.blocks(&Nobody).unwrap();
    let found = triplets::measure(run.learner(), &encoder, &*data, &blocks, &Nobody).unwrap();
    assert_eq!((found.triplets, found.names.len()), (30, 7));
    let distances = found.model.iter().chain(&found.floor);
    assert!(distances.into_iter().all(|distance| (0.0..3.0).contains(distance)), "{found:?}");
    // Nothing exchanged is the first image, decoded.
    let mut same = data.triplet(0).unwrap();
    same.from_second.fill(false);
    let mixed = triplets::predicted(run.learner(), &*data, &blocks, &[same.clone()]).unwrap();
    let codes = run.learner().encode(&unbraid::model::batch::Seen::of(&*data, &same.rows[..1]));
    assert_eq!(mixed, run.learner().decode(codes.view()).unwrap());

    let taken = blocks.iter().flatten().next().copied().expect("without a rest each has a factor");
    let name = data.factors()[taken].name.clone();
    let picture = run.swap(&[name], [3, 7], None, &Nobody).unwrap();
    assert!(picture.is_file());
    let swap =
        |name: &str, rows| run.swap(&[name.into()], rows, None, &Nobody).unwrap_err().to_string();
    assert!(swap("bal-x", [3, 7]).contains("did you mean `ball-x`?"));
    assert!(swap("ball-x", [3, 999_999]).contains("there is no row 999999"));
    assert!(swap("score-left", [3, 7]).contains("no latent of this model stands for `score-left`"));
}

#[test]
fn what_actions_touch_is_judged_and_drawn() {
    let place = tempfile::tempdir().unwrap();
    let world = "data = { name = 'voronoi', frames = 300 }";
    let model = "model = { name = 'biscuit-vae', latents = 8, channels = 4, samples = 2 }";
    let run = trained(&place.path().join("run"), &format!("{world}\n{model}\n{TINY}"));
    let (found, picture) = run.interactions(&Nobody).unwrap();
    assert_eq!(found["factors"].as_array().unwrap().len(), 6);
    assert!((0.0..=1.0).contains(&found["f1"].as_f64().unwrap()), "{found}");
    assert!(picture.unwrap().is_file());
    // New weights make it stale: the list of files knows it.
    assert!(run.run().contents().iter().any(|file| file.name == "interactions.png"));
    // Without blocks of its own, latents are given to what they predict best.
    assert_eq!(run.blocks(&Nobody).unwrap().len(), 8);
    let pong = trained(&place.path().join("pong"), &format!("{PONG}\n{FLOW}\n{TINY}"));
    let said = pong.interactions(&Nobody).unwrap_err().to_string();
    assert!(said.contains("actions"), "{said}");
}

#[test]
fn a_training_says_what_it_has_found_and_a_trained_run_rolls_on_beside_the_simulator() {
    let place = tempfile::tempdir().unwrap();
    let model = "model = { name = 'citris-vae', channels = 4, latents = 6, prior_width = 8 }";
    let run = trained(place.path(), &format!("{PONG}\n{model}\n{TINY}"));
    let log = std::fs::read_to_string(place.path().join("log.jsonl")).unwrap();
    let last = log.lines().last().unwrap();
    assert!(last.contains("\"found\":") && last.contains("\"found/ball-vel-dir\":"), "{last}");
    // The scores are never intervened on, so nobody is to find them.
    assert!(!last.contains("found/score-left"), "{last}");
    let course = |row: usize, steps: usize, actions: Vec<Vec<f32>>| Course {
        row,
        dos: vec![],
        actions,
        steps,
    };
    let (found, picture) = run.rollout(&course(7, 3, vec![]), None, &Nobody).unwrap();
    assert!(picture.is_file());
    let steps = found["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4, "the frame itself, and three steps");
    assert_eq!(steps[0]["standing_still"], 0.0, "the simulator starts from this frame");
    assert!(steps[3]["standing_still"].as_f64().unwrap() > 0.0, "and then it moves");
    for (asked, reason) in [
        (course(1_000_000, 3, vec![]), "there is no row"),
        (course(0, 0, vec![]), "--steps must be"),
        (course(0, 1, vec![vec![0.5]]), "these data have no actions"),
    ] {
        let refused = run.rollout(&asked, None, &Nobody).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let refused = run.targets_of(&["ball-z=1".into()]).unwrap_err().to_string();
    assert!(refused.contains("unknown factor `ball-z`"), "{refused}");
    // So few steps tell nothing of causes, which is said rather than guessed.
    assert!(run.temporal_graph(&Nobody).is_err());
}
