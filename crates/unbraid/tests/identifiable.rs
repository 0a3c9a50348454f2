//! TCL, iVAE and the segment flow on data whose sources can be found, and on data where they cannot.

use std::path::{Path, PathBuf};

use unbraid::Error;
use unbraid::evaluate::encode;
use unbraid::rng::Rng;
use unbraid::run::config::Config;
use unbraid::run::train::{Ending, train};
use unbraid::run::{Plan, Run, TrainedRun};
use unbraid_measure::metrics;
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::watch::{Nobody, Stage};

const EASY: &str =
    "data = { name = 'mixing', sources = 2, segments = 12, points = 200, layers = 2 }\n";

fn planned(text: &str) -> unbraid::Result<Plan> {
    Config::from_table(text.parse().unwrap())?.resolve()
}

fn trained(directory: &Path, plan: &Plan) -> unbraid::Result<Run> {
    let run = Run::create(directory, plan)?;
    assert_eq!(train(&run, plan, &Nobody)?, Ending::Finished);
    Ok(run)
}

/// MCC of the means.
fn mcc(run: &Run) -> f64 {
    let codes = TrainedRun::load(run.clone()).unwrap().scored_codes(&Nobody).unwrap();
    let metric = metrics::find("mcc").unwrap();
    metric.score(&codes, &mut Rng::new(0), &Stage::unwatched()).unwrap().value
}

/// The most likely bug of all: codes that are no better than what a VAE finds.
#[test]
fn two_bent_sources_are_found_where_a_vae_mixes_them() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str, model: &str| {
        let train = "train = { steps = 600, batch = 64, learning_rate = 5e-4, threads = 2 }\n";
        let plan = planned(&format!("{EASY}{train}model = {model}")).unwrap();
        let run = trained(&directory.path().join(name), &plan).unwrap();
        mcc(&run)
    };
    let flow = of("flow", "{ name = 'segment-flow', layers = 2, starts = 2 }");
    let ivae = of("ivae", "{ name = 'ivae', layers = 2, flows = 2, imitation = 1500 }");
    let vae = of("vae", "{ name = 'vae', latents = 2, width = 50, noise = 0.1 }");
    assert!(flow > 0.97, "{flow}");
    assert!(ivae > 0.93 && ivae > vae + 0.03, "iVAE {ivae}, VAE {vae}");
}

/// A file with these observations and segments, 40 rows.
fn file(directory: &Path, name: &str, x: impl Fn(usize, usize) -> f32, u: &[f32]) -> PathBuf {
    let path = directory.join(format!("{name}.npz"));
    let x: Vec<f32> = (0..40).flat_map(|row| [0, 1, 2].map(|k| x(row, k))).collect();
    let mut file = NpzWriter::create(&path).unwrap();
    file.array("x", &[40, 3], &x).unwrap();
    file.array("u", &[40, u.len() / 40], u).unwrap();
    file.finish().unwrap();
    path
}

/// What training these data says.
fn refusal(path: &Path, model: &str) -> String {
    let text = format!(
        "data = {{ name = 'mixing', path = '{}' }}\nmodel = {model}\n\
         train = {{ steps = 2, batch = 8, threads = 2 }}",
        path.display()
    );
    let directory = tempfile::tempdir().unwrap();
    let done = planned(&text).and_then(|plan| trained(&directory.path().join("run"), &plan));
    done.err().map_or("nothing was refused".into(), |error: Error| error.to_string())
}

fn noise(row: usize, k: usize) -> f32 {
    Rng::new(3).at((3 * row + k) as u64).normal()
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let halves: Vec<f32> = (0..40).map(|row| f32::from(u8::from(row >= 20))).collect();
    let methods =
        ["{ name = 'tcl' }", "{ name = 'ivae', imitation = 2 }", "{ name = 'segment-flow' }"];
    let good = file(directory.path(), "good", noise, &halves);
    let one = file(directory.path(), "one", noise, &[0.0; 40]);
    for method in methods {
        assert_eq!(refusal(&good, method), "nothing was refused", "{method}");
        let said = refusal(&one, method);
        assert!(said.contains("one segment"), "{method}: {said}");
    }
    // The third number is the sum of the others.
    let flat = |row, k| if k == 2 { noise(row, 0) + noise(row, 1) } else { noise(row, k) };
    let flat = file(directory.path(), "flat", flat, &halves);
    for method in methods {
        let said = refusal(&flat, method);
        assert!(
            said.contains("vary in 2 directions") || said.contains("2 directions only"),
            "{said}"
        );
    }
    // From a random start an iVAE does with them what it can.
    let random = "{ name = 'ivae', start = 'random' }";
    assert_eq!(refusal(&flat, random), "nothing was refused");
    assert!(
        refusal(&good, "{ name = 'ivae', latents = 4, start = 'flow' }")
            .contains("more than the 3")
    );
    assert!(refusal(&good, "{ name = 'segment-flow', latents = 4 }").contains("at most 3"));
    assert!(refusal(&good, "{ name = 'ivae', start = 'truth' }").contains("0 factors"));
    // A segment of one row has no spread.
    let lone: Vec<f32> = (0..40).map(|row| f32::from(u8::from(row == 7))).collect();
    let lone = file(directory.path(), "lone", noise, &lone);
    assert!(refusal(&lone, "{ name = 'segment-flow' }").contains("one row"));
    assert_eq!(refusal(&lone, random), "nothing was refused");
}

#[test]
fn a_still_number_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let halves: Vec<f32> = (0..40).map(|row| f32::from(u8::from(row >= 20))).collect();
    let still =
        file(directory.path(), "still", |row, k| if k == 1 { 4.0 } else { noise(row, k) }, &halves);
    let said = refusal(&still, "{ name = 'ivae' }");
    assert!(said.contains("same") || said.contains("constant") || said.contains("never"), "{said}");
}

/// Held-out rows are scored with the map that was learned.
#[test]
fn fresh_rows_are_encoded_with_what_was_learned() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "{EASY}model = {{ name = 'segment-flow', layers = 2, starts = 2 }}\n\
         score.held_out = {{ fresh = true }}"
    );
    let plan = planned(&text).unwrap();
    let run = trained(&directory.path().join("run"), &plan).unwrap();
    let held_out = plan.held_out().unwrap().expect("named above");
    let learner = run.learner(&plan).unwrap();
    let rows: Vec<usize> = (0..held_out.data.len()).collect();
    let codes = encode::encode(&*learner, &*held_out.data, &rows, &Nobody).unwrap();
    let metric = metrics::find("mcc").unwrap();
    let fresh = metric.score(&codes, &mut Rng::new(0), &Stage::unwatched()).unwrap().value;
    assert!((fresh - mcc(&run)).abs() < 0.02, "{fresh}");
    let other = planned(&format!("{EASY}model.name = 'ivae'\nscore.held_out = {{ segments = 5 }}"));
    let said = other.err().expect("refused").to_string();
    assert!(said.contains("`score.held_out` must name data of the same form"), "{said}");
}
