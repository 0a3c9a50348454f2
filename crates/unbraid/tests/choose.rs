//! Choosing a run of a study: a tiny study of two data sets, chosen from in every way through the command line.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use program::{refuse, run, succeed, word};
use serde_json::Value as Json;
use unbraid::metrics::Metric;
use unbraid::metrics::udr::Udr;
use unbraid::representation::Sibling;
use unbraid::rng::Rng;
use unbraid::run::TrainedRun;
use unbraid::study::Study;
use unbraid::watch::{Nobody, Progress, Stage, Watch};
use unbraid_measure::npz::NpzWriter;

const FILE: &str = "
data.variant.size = 16
train = { steps = 100, batch = 16, threads = 1, log_every = 20 }
score = { metrics = ['mig', 'sap'], rows = 200 }
model = { latents = 3, net = 'fc', width = 8 }
[across]
data.name = ['squares', 'xy-squares']
[vary]
seed = [0, 1, 2]
[[rows]]
name = 'VAE'
model.name = 'vae'
[[rows]]
name = 'β-VAE'
model.name = 'beta-vae'
vary.model.beta = [0.2]
";

fn planned(directory: &Path, file: &str) -> PathBuf {
    let (path, out) = (directory.join("file.toml"), directory.join("study"));
    fs::write(&path, file).unwrap();
    succeed(&["study", "plan", word(&path), "--out", word(&out), "--quiet"]);
    out
}

/// Planned, trained and scored.
fn worked(directory: &Path, file: &str) -> PathBuf {
    let out = planned(directory, file);
    succeed(&["study", "work", word(&out), "--jobs", "2", "--quiet"]);
    out
}

fn choose(study: &Path, more: &[&str]) -> Json {
    let words = [&["study", "choose", word(study), "--json", "--quiet"], more].concat();
    serde_json::from_str(&succeed(&words)).unwrap()
}

/// What one way chose for a data set.
fn chosen<'a>(data: &'a Json, by: &str) -> &'a Json {
    let choices = data["choices"].as_array().unwrap();
    let found = choices.iter().find(|choice| choice["by"] == by);
    found.unwrap_or_else(|| panic!("nothing was chosen by {by}: {data:#}"))
}

/// The MIG of every run on a data set, as its scores have it.
fn migs(study: &Path, data: &str) -> BTreeMap<String, f64> {
    let runs = fs::read_dir(study.join("runs")).unwrap().flatten();
    let score = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(entry.path().join("scores.json")).unwrap();
        let scores: Json = serde_json::from_str(&text).unwrap();
        let scores = scores["scores"].as_array().unwrap();
        let mig = scores.iter().find(|score| score["metric"] == "mig").unwrap();
        (name, mig["value"].as_f64().unwrap())
    };
    runs.map(score).filter(|(name, _)| name.contains(&format!("name-{data}-"))).collect()
}

#[test]
fn every_way_names_a_run_and_its_regret() {
    let directory = tempfile::tempdir().unwrap();
    let study = worked(directory.path(), FILE);
    let answer = choose(&study, &["--labels", "50"]);
    // DCI was not computed; MIG is the next headline metric.
    assert_eq!((answer["format"].as_i64(), &answer["metric"]), (Some(1), &Json::from("mig")));
    for (data, name) in answer["data"].as_array().unwrap().iter().zip(["squares", "xy-squares"]) {
        assert_eq!((&data["data"], &data["candidates"]), (&name.into(), &6.into()));
        let migs = migs(&study, name);
        let best = migs.values().copied().fold(f64::MIN, f64::max);
        let random = migs.values().map(|mig| best - mig).sum::<f64>() / 6.0;
        assert_eq!(data["best"]["score"], best);
        let close = |value: &Json, expected: f64| {
            let value = value.as_f64().unwrap();
            assert!((value - expected).abs() < 1e-9, "{value} {expected}: {data:#}");
        };
        close(&data["random_regret"], random);
        close(&chosen(data, "random")["regret"], random);
        // Where no latent of any run is active UDR chooses none, and says so.
        let blind = data["notes"].to_string().contains("udr: every run on xy-squares has the same");
        for by in ["udr", "elbo", "reconstruction", "kl"].into_iter().skip(usize::from(blind)) {
            let choice = chosen(data, by);
            let run = choice["chosen"]["run"].as_str().unwrap();
            close(&choice["score"], migs[run]);
            close(&choice["regret"], best - migs[run]);
            let place = choice["chosen"]["directory"].as_str().unwrap();
            assert!(Path::new(place).join("scores.json").is_file(), "{place}");
        }
        let labels = chosen(data, "50 labels");
        assert_eq!(labels["draws"], 10);
        assert!((1..=10).contains(&labels["times"].as_u64().unwrap()), "{labels}");
        assert!(labels["regret"].as_f64().unwrap() >= 0.0 && labels["regret_sd"].is_number());
        let other = if name == "squares" { "xy-squares" } else { "squares" };
        let transfer = &chosen(data, &format!("transfer from {other}"))["chosen"];
        assert!(transfer["run"].as_str().unwrap().contains(&format!("name-{name}-")), "{transfer}");
    }
    // With as many labels as there are rows every draw is the same.
    let all = choose(&study, &["--by", "labels", "--labels", "405"]);
    let squares = &all["data"][0];
    assert_eq!(chosen(squares, "405 labels")["times"], 10);
    assert!(squares["choices"].as_array().unwrap().len() == 2, "{squares:#}");
    repeated_and_refused(&study);
}

/// What is kept is used again as long as it is true; what cannot be is refused with the way out.
fn repeated_and_refused(study: &Path) {
    let words = ["study", "choose", word(study), "--by", "udr"];
    let said = |words: &[&str]| String::from_utf8_lossy(&run(words).stderr).into_owned();
    let first = succeed(&words);
    assert!(!said(&words).contains("encoding"), "{}", said(&words));
    assert!(first.contains("chosen by") && first.contains("regret") && first.contains("random"));
    let (kept, mark) = (study.join("udr.json"), "\"weights\": \"");
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, text.replacen(mark, "\"weights\": \"other", 1)).unwrap();
    assert!(said(&words).contains("UDR: encoding 1000 rows by each of 3 runs"), "{}", said(&words));
    assert_eq!(fs::read_to_string(&kept).unwrap(), text);
    assert_eq!(succeed(&words), first);

    refuse(&[&words[..3], &["--metric", "factorvae"]].concat(), "mean `factor-vae-score`?");
    refuse(&[&words[..3], &["--metric", "udr"]].concat(), "does not look at labels");
    let many = [&words[..3], &["--labels", "1000000"]].concat();
    refuse(&many, "1000000 labels are more than the");
    let misspelt = run(&[&words[..3], &["--by", "udrr"]].concat());
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&misspelt.stderr).contains("did you mean `udr`?"));
}

/// Somebody who asks to stop when the fourth run is begun.
#[derive(Default)]
struct UntilRun(AtomicU64);

impl Watch for UntilRun {
    fn progress(&self, now: &Progress) {
        self.0.store(now.steps.map_or(0, |[done, _]| done), Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 2
    }
}

#[test]
fn udr_is_that_of_the_metric_on_the_same_rows() {
    let directory = tempfile::tempdir().unwrap();
    let one = FILE
        .replace("['squares', 'xy-squares']", "['squares']")
        .replace("steps = 100", "steps = 400");
    let study = worked(directory.path(), &one);
    // Stopped after the first three runs, it keeps what it has and goes on from there.
    let stopped = Study::open(&study).unwrap().udr(100_000, &UntilRun::default());
    assert!(stopped.unwrap_err().to_string().starts_with("stopped"));
    let kept: Json =
        serde_json::from_str(&fs::read_to_string(study.join("udr.json")).unwrap()).unwrap();
    assert_eq!(kept["runs"].as_object().map(serde_json::Map::len), Some(3), "{kept:#}");
    // More rows than there are: all of them, in order.
    let values = Study::open(&study).unwrap().udr(100_000, &Nobody).unwrap();
    assert_eq!(values.len(), 6);
    for row in ["vae-name-squares", "beta-vae-name-squares-beta-0.2"] {
        let names = [0, 1, 2].map(|seed| format!("{row}-seed-{seed}"));
        let models = names.each_ref().map(|name| {
            let run = TrainedRun::open(study.join("runs").join(name)).unwrap();
            run.encode(None, None, &Nobody).unwrap()
        });
        let [mut this, others @ ..] = models;
        this.readings.siblings = others
            .map(|other| Sibling { codes: other.codes.into_owned(), kl: other.readings.kl })
            .into();
        let score = Udr::LASSO.score(&this, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        for (name, (_, expected)) in names.iter().zip(score.parts) {
            assert_eq!(values[name], expected, "{name}");
        }
    }
}

#[test]
fn without_labels_udr_and_losses_still_answer_and_regret_is_not_known() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    let pixel = |k: usize| ((k / 256 * 37 + k % 256 * (1 + k / 256 % 5)) % 251) as u8;
    let images: Vec<u8> = (0..60 * 256).map(pixel).collect();
    file.array("images", &[60, 16, 16], &images).unwrap();
    file.finish().unwrap();
    let mine = format!("data.name = 'arrays'\ndata.path = '{}'", path.display());
    let mine = FILE
        .replace("data.variant.size = 16", &mine)
        .replace("[across]\ndata.name = ['squares', 'xy-squares']\n", "")
        .replace("['mig', 'sap']", "['total-correlation']");
    let study = worked(directory.path(), &mine);
    let answer = choose(&study, &[]);
    let data = &answer["data"][0];
    assert!(data["best"].is_null() && data["random_regret"].is_null(), "{data:#}");
    let choices = data["choices"].as_array().unwrap();
    let ways: Vec<&str> = choices.iter().filter_map(|choice| choice["by"].as_str()).collect();
    assert_eq!(ways, ["udr", "elbo", "reconstruction", "kl"]);
    assert!(choices.iter().all(|one| one["chosen"]["run"].is_string() && one["regret"].is_null()));
    assert!(succeed(&["study", "choose", word(&study)]).contains("so regret is not known"));
    refuse(&["study", "choose", word(&study), "--by", "labels"], "comes without labels");
    refuse(&["study", "choose", word(&study), "--by", "transfer"], "needs a second data set");
}

#[test]
fn a_study_that_is_not_begun_and_one_with_one_seed_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let one = FILE.replace("['squares', 'xy-squares']", "['squares']").replace("[0, 1, 2]", "[0]");
    let study = planned(directory.path(), &one);
    let words = ["study", "choose", word(&study)];
    refuse(&words, "no run of this study is done yet; `unbraid study work");
    refuse(&["study", "choose", word(directory.path())], "is no study");
    succeed(&["study", "work", word(&study), "--quiet"]);
    let udr = [&words[..], &["--by", "udr"]].concat();
    refuse(&udr, "differ in nothing but their seed, and no two such runs are done");
    // Without --by the other ways answer, and it says why this one does not.
    let answer = choose(&study, &["--labels", "20"]);
    let notes = answer["data"][0]["notes"].to_string();
    assert!(notes.contains("udr: UDR compares runs"), "{notes}");
    assert!(chosen(&answer["data"][0], "20 labels")["chosen"]["run"].is_string());
}
