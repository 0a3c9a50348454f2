//! What was done between two observations: models of pairs, from training to the answer.

use std::path::Path;

use unbraid::run::config::Config;
use unbraid::run::{Plan, Run, TrainedRun, train};
use unbraid::watch::Nobody;

const PAIRS: &str =
    "data = { name = 'squares', variant = { transitions = { part = 'train', contexts = 200 } } }\n";

fn planned(data: &str, model: &str, steps: u64) -> unbraid::Result<Plan> {
    let train =
        format!("train = {{ steps = {steps}, batch = 32, threads = 2, learning_rate = 2e-3 }}\n");
    Config::from_table(format!("{data}{train}model = {model}").parse().unwrap())?.resolve()
}

fn trained(directory: &Path, plan: Plan) -> TrainedRun {
    let run = Run::create(directory, &plan).unwrap();
    train::train(&run, &plan, &Nobody).unwrap();
    TrainedRun::with(run, plan).unwrap()
}

/// On data as plain as these a supervised network tells most actions, and the likelihood of codes many.
#[test]
fn actions_of_pairs_that_were_never_seen_are_told() {
    let place = tempfile::tempdir().unwrap();
    let base = "base = { codes = 32, channels = 8, steps = 300, learning_rate = 2e-3 }";
    let ct = format!("{{ name = 'ct-vae', graph = 'full', width = 32, {base} }}");
    for (model, least) in [("{ name = 'pair-classifier' }", 0.6), (&*ct, 0.4)] {
        let run =
            trained(&place.path().join(least.to_string()), planned(PAIRS, model, 300).unwrap());
        let found = run.actions(&Nobody).unwrap();
        let number = |kind: &str, key: &str| found[kind][key].as_f64().unwrap();
        assert!(number("action", "accuracy") > least, "{model}: {found}");
        assert!(number("factor", "accuracy") >= number("action", "accuracy"), "{found}");
        assert!(number("action", "majority") < 0.3, "{found}");
        let likely = run.retrieve([0, 1]).unwrap();
        let total: f32 = likely.iter().map(|(_, share)| share).sum();
        assert!((total - 1.0).abs() < 1e-4 && likely.is_sorted_by(|a, b| a.1 >= b.1), "{likely:?}");
    }
}

#[test]
fn what_cannot_be_acted_on_is_refused_before_training() {
    let place = tempfile::tempdir().unwrap();
    let refused = |data: &str, model: &str| planned(data, model, 2).err().unwrap().to_string();
    let voronoi = "data = { name = 'voronoi', frames = 100, variant = { size = 16 } }\n";
    for model in ["{ name = 'pair-classifier' }", "{ name = 'ct-vae' }"] {
        let said = refused(voronoi, model);
        assert!(said.contains("needs several actions with names"), "{said}");
    }
    let vae = "{ name = 'vae', latents = 4, net = 'fc', width = 16 }";
    let base = trained(&place.path().join("vae"), planned(PAIRS, vae, 2).unwrap());
    let base = base.run().directory().display().to_string();
    let said = refused(PAIRS, &format!("{{ name = 'ct-vae', base = '{base}' }}"));
    assert!(said.contains("`model.base` must be a quantised model"), "{said}");
}
