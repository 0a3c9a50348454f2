//! What was done between two observations: models of pairs, from training to the answer.

use std::path::Path;

use unbraid::intervene::rollout::Course;
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
    let floor = "{ name = 'pair-discriminant' }";
    let models = [(floor, 0.5), ("{ name = 'pair-classifier' }", 0.6), (&*ct, 0.4)];
    for (model, least) in models {
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

/// Nothing is learned in 20 steps, but every number, picture and table is there, and the end of a range is said.
#[test]
fn actions_are_done_read_back_and_drawn() {
    let place = tempfile::tempdir().unwrap();
    let base = "base = { codes = 16, channels = 4, blocks = 1, steps = 20 }";
    let ct = format!("{{ name = 'ct-vae', width = 16, {base} }}");
    let run = trained(&place.path().join("ct"), planned(PAIRS, &ct, 20).unwrap());
    let (found, picture) = run.acted(&Nobody).unwrap();
    assert!(picture.unwrap().ends_with("acts.png"), "{found}");
    let once = &found["once"];
    assert!(once["images"].as_u64().unwrap() > 20, "{found}");
    // Who moves nothing is not right, whatever the reconstructions are.
    assert!(once["error_if_nothing_moved"].as_f64().unwrap() > 0.0, "{found}");
    assert!(once["right"].as_f64().unwrap() <= 1.0 && found["often"].is_object(), "{found}");

    let actions = run.action_of("x+").unwrap();
    assert_eq!(actions.iter().sum::<f32>(), 1.0);
    let course = Course { row: 0, dos: vec![], actions: vec![actions], steps: 40 };
    let (rolled, _) = run.rollout(&course, None, &Nobody).unwrap();
    // Squares have fewer places than 40.
    let said = rolled["note"].as_str().unwrap();
    assert!(said.contains("`x` has no value beyond"), "{said}");
    assert!(rolled["steps"][1]["mistaken"].is_array() || said.contains("step 0"), "{rolled}");

    let unknown = run.action_of("x*").unwrap_err().to_string();
    assert!(unknown.contains("did you mean `x"), "{unknown}");
    run.report(None, &Nobody).unwrap();
    let page = std::fs::read_to_string(place.path().join("ct/report.html")).unwrap();
    for words in ["What actions do", "Reconstructions right", "direction"] {
        assert!(page.contains(words), "{words} is missing");
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
