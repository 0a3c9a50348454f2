use std::path::Path;

use unbraid_measure::metrics::Better;

use super::field::Candidate;
use super::*;
use crate::study::file::File;

const FILE: &str = "
[across]
data.name = ['squares', 'xy-object', 'xy-squares']
[vary]
seed = [0, 1]
[[rows]]
name = 'VAE'
model.name = 'vae'
[[rows]]
name = 'β-VAE'
model.name = 'beta-vae'
vary.model.beta = [2, 4]
";

/// The runs of the file: three data sets, three settings, two seeds.
pub(super) fn planned() -> Vec<Planned> {
    File::read(&FILE.parse().unwrap()).unwrap().runs
}

/// Six runs of a data set with these scores.
pub(super) fn field<'a>(runs: &'a [Planned], place: usize, scores: [f64; 6]) -> Field<'a> {
    let runs = &runs[6 * place..6 * place + 6];
    let candidate = |(run, score): (&'a Planned, f64)| Candidate {
        run,
        score: Some(score).filter(|score| !score.is_nan()),
        reconstruction: Some(10.0 * score),
        kl: Some(score),
    };
    Field {
        data: runs[0].data().unwrap().into(),
        candidates: runs.iter().zip(scores).map(candidate).collect(),
        better: Better::Higher,
        directory: "study".into(),
        notes: vec![],
    }
}

pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

pub(super) fn regret(choice: &Choice) -> (f64, f64) {
    let regret = choice.regret.as_ref().expect("scores are known");
    (regret.mean(), regret.deviation())
}

#[test]
fn regret_is_from_the_best_run_and_random_is_the_mean_over_all() {
    let runs = planned();
    let field = field(&runs, 0, [0.1, 0.2, 0.3, 0.6, 0.2, 0.4]);
    let found = field.by_one("kl", |one| one.kl.map(|kl| -kl)).unwrap();
    let chosen = found[0].run.as_ref().unwrap();
    assert_eq!(
        (chosen.run.as_str(), chosen.seed, chosen.method.as_str()),
        ("vae-name-squares-seed-0", 0, "VAE")
    );
    assert_eq!(chosen.directory, Path::new("study/runs/vae-name-squares-seed-0"));
    assert!(close(regret(&found[0]).0, 0.5) && close(found[0].value.unwrap(), -0.1));
    // 0.6 less the mean 0.3.
    let random = field.at_random().unwrap();
    assert!(close(regret(&random).0, 0.3) && random.run.is_none(), "{random:?}");
    // Of equal values the first in the order of the study.
    let equal = field.by_one("udr", |one| Some(one.kl?.min(0.2))).unwrap();
    assert_eq!(equal[0].run.as_ref().unwrap().run, "vae-name-squares-seed-1");
    // Where all are equal nothing is chosen: no latent of any run is active.
    assert!(field.by_one("udr", |_| Some(0.0)).is_err());
    assert!(field.by_one("udr", |_| None).is_err());
}

#[test]
fn of_a_metric_whose_low_end_is_better_the_lowest_is_the_best() {
    let runs = planned();
    let mut field = field(&runs, 0, [0.1, 0.2, 0.3, 0.6, 0.2, 0.4]);
    field.better = Better::Lower;
    let found = field.by_one("reconstruction", |one| one.reconstruction).unwrap();
    assert!(close(regret(&found[0]).0, 0.5), "{found:?}");
    let answer = field.answered(found);
    let (best, score) = answer.best.unwrap();
    assert_eq!((best.run.as_str(), score), ("vae-name-squares-seed-0", 0.1));
}

#[test]
fn each_draw_of_labels_takes_its_best_run_and_the_one_taken_most_is_shown() {
    let runs = planned();
    let field = field(&runs, 0, [0.1, 0.2, 0.3, 0.6, 0.2, 0.4]);
    // Three draws take the fourth run, the fifth, the fourth; in the last one no run has a value.
    let none = vec![None; 4];
    let fourth = vec![Some(0.9), Some(0.2), Some(0.7), None];
    let fifth = vec![Some(0.1), Some(0.5), Some(0.6), None];
    let values = [&none, &none, &none, &fourth, &fifth, &none];
    let found = labels::chosen(&field, ("50 labels".into(), Better::Higher), &values).unwrap();
    assert_eq!((found.by.as_str(), found.share), ("50 labels", Some([2, 3])));
    assert_eq!(found.run.as_ref().unwrap().run, "beta-vae-name-squares-beta-2-seed-1");
    assert!(close(found.value.unwrap(), 0.6), "{found:?}");
    // Of 0.6 they miss 0, 0.4 and 0.
    let (mean, deviation) = regret(&found);
    assert!(close(mean, 0.4 / 3.0) && close(deviation, (0.16f64 / 3.0).sqrt()), "{found:?}");
    assert!(labels::chosen(&field, (String::new(), Better::Higher), &[&none; 6]).is_none());
}

#[test]
fn a_metric_that_looks_at_no_label_is_no_truth() {
    let refusal = |name: &str| supervised(name).unwrap_err().to_string();
    let misspelt = refusal("factorvae");
    assert!(misspelt.contains("did you mean `factor-vae-score`?"), "{misspelt}");
    assert!(refusal("udr").contains("does not look at labels"), "{}", refusal("udr"));
    assert!(supervised("dci").is_ok());
    assert!(HEADLINES.iter().all(|name| supervised(name).is_ok()));
}

#[test]
fn the_truth_is_the_first_headline_metric_that_runs_have_and_baselines_are_no_candidates() {
    let runs = planned();
    let number = |name: &str, value| Number {
        of: Of::Codes("mean"),
        name: name.into(),
        part_of: None,
        value,
    };
    let mut numbers: Vec<(&Planned, Vec<Number>)> =
        runs[..6].iter().map(|run| (run, vec![number("sap", 0.1), number("mig", 0.2)])).collect();
    assert_eq!(headline(&numbers).info().name, "mig");
    assert_eq!(headline(&[]).info().name, "dci");
    // A run that was not scored by it is left out, and so is a baseline.
    numbers[0].1.pop();
    let mut pca = runs[1].clone();
    pca.family = "PCA".into();
    pca.config["model"]["name"] = "pca".into();
    numbers[1].0 = &pca;
    let fields = Field::all(Path::new("study"), &numbers, supervised("mig").unwrap()).unwrap();
    assert_eq!((fields.len(), fields[0].candidates.len()), (1, 4));
    assert_eq!(fields[0].notes.len(), 2, "{:?}", fields[0].notes);
    assert!(fields[0].notes[1].ends_with("does not learn: PCA"), "{:?}", fields[0].notes);
    let refusal = |numbers: &[(&Planned, Vec<Number>)]| {
        let found = Field::all(Path::new("study"), numbers, supervised("mig").unwrap());
        found.unwrap_err().to_string()
    };
    assert!(refusal(&[]).contains("no run of this study is done yet; `unbraid study work study`"));
    assert!(refusal(&numbers[1..2]).contains("a baseline that does not learn"));
}
