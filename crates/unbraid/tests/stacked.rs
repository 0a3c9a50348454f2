//! A model on top of a finished run: `model.base`.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use unbraid::run::config::Config;
use unbraid::run::score::Scoring;
use unbraid::run::{Plan, Run, TrainedRun, Traversal, train};
use unbraid::watch::{Nobody, Progress, Watch};

const AUTOENCODER: &str = "model = { name = 'vae', latents = 6, net = 'fc', width = 32 }";

fn planned(model: &str, steps: u64) -> unbraid::Result<Plan> {
    let text = format!(
        "data.name = 'squares'\n{model}\nscore = {{ rows = 200, metrics = ['mcc'] }}\n\
         train = {{ steps = {steps}, batch = 32, threads = 2, log_every = 5 }}"
    );
    Config::from_table(text.parse().unwrap())?.resolve()
}

fn trained(directory: &Path, plan: Plan) -> TrainedRun {
    let run = Run::create(directory, &plan).unwrap();
    train::train(&run, &plan, &Nobody).unwrap();
    TrainedRun::with(run, plan).unwrap()
}

#[test]
fn a_model_learns_from_the_codes_of_its_base_and_decodes_through_it() {
    let place = tempfile::tempdir().unwrap();
    let base = trained(&place.path().join("base"), planned(AUTOENCODER, 40).unwrap());
    let before = std::fs::read(base.run().file("model.safetensors")).unwrap();
    let on = |model: &str| {
        let base = place.path().join("base");
        format!("model = {{ {model}, base = '{}' }}", base.display())
    };
    for (name, model) in
        [("pca", "name = 'pca', latents = 3"), ("vae", "name = 'vae', latents = 3")]
    {
        let top = trained(&place.path().join(name), planned(&on(model), 20).unwrap());
        let codes = top.scored_codes(&Nobody).unwrap();
        assert_eq!(codes.codes.dim(), (200, 3), "{name}");
        // Codes are of the base's six, decoded observations are images again.
        let decoded = top.learner().decode(codes.codes.view()).unwrap();
        assert_eq!(decoded.dim(), (200, 256), "{name}");
        assert!(decoded.iter().all(|pixel| (0.0..=1.0).contains(pixel)), "{name}");
        // Found again from the directory alone.
        let again = TrainedRun::open(top.run().directory()).unwrap();
        assert_eq!(again.scored_codes(&Nobody).unwrap().codes, codes.codes, "{name}");
        assert!(
            again.score(&Scoring::default(), &Nobody).unwrap().report.outcomes[0].score.is_ok()
        );
        assert!(!again.traverse(&Traversal::default(), &Nobody).unwrap().is_empty(), "{name}");
    }
    let after = std::fs::read(base.run().file("model.safetensors")).unwrap();
    assert!(before == after, "the base is frozen");
}

#[test]
fn a_base_that_cannot_be_used_is_refused_before_training() {
    let place = tempfile::tempdir().unwrap();
    let refused = |model: &str| planned(model, 5).err().unwrap().to_string();
    let missing = refused("model = { name = 'pca', base = 'nowhere' }");
    assert!(
        missing.contains("`model.base` cannot be used: nowhere: is no run directory"),
        "{missing}"
    );
    let plan = planned(AUTOENCODER, 5).unwrap();
    let begun = place.path().join("begun");
    Run::create(&begun, &plan).unwrap();
    let unfinished = refused(&format!("model = {{ name = 'pca', base = '{}' }}", begun.display()));
    assert!(unfinished.contains("finish training"), "{unfinished}");
    let text = "data.name = 'mixing'\nmodel = { name = 'pca', latents = 2 }";
    let other = Config::from_table(text.parse().unwrap()).unwrap().resolve().unwrap();
    let other = trained(&place.path().join("other"), other);
    let directory = other.run().directory().display();
    let shape = refused(&format!("model = {{ name = 'pca', base = '{directory}' }}"));
    assert!(shape.contains("was trained on") && shape.contains("these data are"), "{shape}");
}

/// The codes of a flow lie in memory column by column; labels go through; it resumes where it was.
#[test]
fn a_base_of_any_kind_will_do_and_a_stopped_run_goes_on_with_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let mixing = "data = { name = 'mixing', sources = 3, segments = 6, points = 40, layers = 1 }\n";
    let plan = |model: &str| {
        let train = "train = { steps = 12, batch = 16, threads = 2, log_every = 1 }\n";
        let text = format!("{mixing}{train}model = {model}");
        Config::from_table(text.parse().unwrap()).unwrap().resolve()
    };
    let flow = plan("{ name = 'segment-flow', layers = 1, starts = 1 }").unwrap();
    let flow = trained(&place.path().join("flow"), flow);
    let directory = flow.run().directory().display().to_string();
    let on = format!("{{ name = 'tcl', latents = 3, base = '{directory}' }}");
    let whole = trained(&place.path().join("whole"), plan(&on).unwrap());
    let broken = Run::create(place.path().join("broken"), &plan(&on).unwrap()).unwrap();
    let stops = Stops(AtomicU64::new(0));
    let ending = train::train(&broken, &plan(&on).unwrap(), &stops).unwrap();
    assert_eq!(ending, train::Ending::Interrupted(5));
    train::train(&broken, &plan(&on).unwrap(), &Nobody).unwrap();
    for name in ["model.safetensors", "log.jsonl"] {
        let read = |run: &Run| std::fs::read(run.file(name)).unwrap();
        assert!(read(whole.run()) == read(&broken), "{name} differs");
    }
    // What a step sees of a row is what `encode` says of it.
    let codes = flow.scored_codes(&Nobody).unwrap().codes;
    let pca = trained(&place.path().join("pca"), plan(&on.replace("tcl", "pca")).unwrap());
    let again = pca.learner().decode(pca.scored_codes(&Nobody).unwrap().codes.view()).unwrap();
    let observed = flow.learner().decode(codes.view()).unwrap();
    let far = (&again - &observed).mapv(f32::abs).mean().unwrap();
    assert!(far < 1e-3, "three components of three codes lose nothing: {far}");
}

/// Asks to stop after five steps.
struct Stops(AtomicU64);

impl Watch for Stops {
    fn progress(&self, now: &Progress) {
        self.0.store(now.steps.map_or(0, |[taken, _]| taken), Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 5
    }
}

#[test]
fn a_base_that_stands_on_itself_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().join("base");
    let plan = planned(AUTOENCODER, 3).unwrap();
    trained(&base, plan);
    let settings = std::fs::read_to_string(base.join("run.toml")).unwrap();
    let own = format!("[model]\nbase = '{}'\n", base.display());
    // Whoever changes it and means it takes the checksum away.
    let settings = settings.split("# checksum").next().unwrap().replace("[model]\n", &own);
    std::fs::write(base.join("run.toml"), settings).unwrap();
    let text = format!("model = {{ name = 'pca', base = '{}' }}", base.display());
    let said = planned(&text, 3).err().unwrap().to_string();
    assert!(said.contains("stands on itself"), "{said}");
}
