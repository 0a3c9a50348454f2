//! A table as people have it, from the first look to codes of another file.

mod program;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use program::{refuse, run, succeed, word};
use serde_json::Value as Json;
use unbraid_measure::npz::Npz;

/// A row number, a day, a site that never changes, two sensors of very different size, a machine.
fn machines(directory: &Path, name: &str, rows: u32) -> PathBuf {
    let mut text = String::from("nr;day;site;pressure;current;machine\n");
    for k in 0..rows {
        let (day, pressure, current) = (k % 28 + 1, 101_325 + k * k % 97, k * 7 % 31);
        let machine = ["lathe", "press", "saw"][(k % 3) as usize];
        writeln!(text, "{k};2024-03-{day:02};north;{pressure};0,000{current:02};{machine}")
            .unwrap();
    }
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path
}

const FACTORS: &str = "data.factors=['machine']";

fn train<'a>(data: &'a Path, out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    #[rustfmt::skip]
    let words = [
        "train", "--model", "vae", "--data", word(data), "--set", FACTORS, "--steps", "4",
        "--set", "model.width=8", "--set", "train.batch=16", "--out", word(out),
    ];
    [&words[..], more].concat()
}

#[test]
fn a_raw_table_is_described_scaled_trained_on_and_another_is_read_alike() {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) =
        (machines(directory.path(), "machines.csv", 200), directory.path().join("run"));
    let info = succeed(&["data", "info", word(&data), "--set", "factors=['machine']"]);
    for part in
        ["numbers the rows in their order", "has times", "never changes", "divided by", "factor"]
    {
        assert!(info.contains(part), "{part}: {info}");
    }
    let dry = succeed(&train(&data, &out, &["--dry-run"]));
    assert!(dry.contains("\n# column") && dry.parse::<toml::Table>().is_ok(), "{dry}");
    let json = succeed(&train(&data, &out, &["--dry-run", "--json"]));
    let json: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(json["columns"].as_array().unwrap().len(), 6);
    assert_eq!(json["columns"][3]["role"], "observed");

    let trained = run(&train(&data, &out, &[]));
    let said = String::from_utf8_lossy(&trained.stderr).into_owned();
    assert!(trained.status.success() && said.contains("`nr` (numbers the rows"), "{said}");
    let kept = fs::read_to_string(out.join("run.toml")).unwrap();
    assert!(kept.contains("[data.kept.columns.pressure]"), "{kept}");
    let log = fs::read_to_string(out.join("log.jsonl")).unwrap();
    let first: Json = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert!(first["reconstruction"].as_f64().unwrap() < 100.0, "{first}");

    // Half of the rows, with another mean: the same rows have the same codes.
    let half = machines(directory.path(), "half.csv", 100);
    let codes = |data: &[&str], name: &str| {
        let file = directory.path().join(name);
        succeed(&[&["encode", word(&out), "--out", word(&file), "--quiet"], data].concat());
        Npz::open(&file).unwrap().array("codes").unwrap().into_floats()
    };
    let (all, some) = (codes(&[], "all.npz"), codes(&["--data", word(&half)], "some.npz"));
    assert_eq!(all[..some.len()], some[..]);
    assert_eq!(some.len() * 2, all.len());
    succeed(&["report", word(&out), "--quiet"]);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        page.contains("What was observed") && page.contains("numbers the rows"),
        "not on the page"
    );
}

#[test]
fn a_loss_that_is_absurd_stops_with_the_column() {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) =
        (machines(directory.path(), "machines.csv", 200), directory.path().join("run"));
    let more = ["--set", "data.scale=none", "--quiet"];
    refuse(&train(&data, &out, &more), "`pressure` reaches");
}

/// A run that knows of no scale goes on without one.
#[test]
fn a_run_of_an_earlier_version_is_not_scaled() {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) =
        (machines(directory.path(), "machines.csv", 200), directory.path().join("run"));
    let settings = |name: &str, more: &str| {
        let path = directory.path().join(name);
        let text = format!(
            "{more}data = {{ name = 'table', path = {data:?}, ignore = ['day', 'site', 'machine'] }}\n\
             model.name = 'raw'\n"
        );
        fs::write(&path, text).unwrap();
        path
    };
    let earlier = settings("earlier.toml", "format = 1\n");
    let asked = succeed(&["train", word(&earlier), "--dry-run", "--out", word(&out)]);
    assert!(asked.contains("scale = \"none\"") && asked.contains("columns = [\"*\"]"), "{asked}");
    let today = settings("today.toml", "");
    let asked = succeed(&["train", word(&today), "--dry-run", "--out", word(&out)]);
    assert!(asked.contains("scale = \"standard\""), "{asked}");
}

/// Two sensors whose spread changes every 100 rows, and nothing that is true of them.
fn series(directory: &Path) -> PathBuf {
    let mut text = String::from("left,right,site\n");
    for k in 0..400_u32 {
        let loud = if k / 100 % 2 == 0 { 1.0 } else { 6.0 };
        let noise = |of: u32| f64::from((k * 7919 + of * 104_729) % 1009) / 1009.0 - 0.5;
        writeln!(
            text,
            "{},{},{}",
            loud * noise(1),
            loud * noise(2) + 0.3 * noise(3),
            ["a", "b"][(k % 2) as usize]
        )
        .unwrap();
    }
    let path = directory.join("series.csv");
    fs::write(&path, text).unwrap();
    path
}

fn train_alone<'a>(data: &'a Path, out: &'a Path, seed: &'a str) -> Vec<&'a str> {
    #[rustfmt::skip]
    let words = vec![
        "train", "--quiet", "--model", "vae", "--data", word(data), "--seed", seed, "--steps", "4",
        "--set", "model.width=8", "--set", "train.batch=16", "--out", word(out),
    ];
    words
}

#[test]
fn without_labels_there_is_an_answer_and_several_runs_are_asked_whether_they_agree() {
    let directory = tempfile::tempdir().unwrap();
    let data = series(directory.path());
    let runs: Vec<PathBuf> = ["0", "1"].map(|seed| directory.path().join(seed)).to_vec();
    for (run, seed) in runs.iter().zip(["0", "1"]) {
        succeed(&train_alone(&data, run, seed));
    }
    let said = succeed(&["score", word(&runs[0]), "--quiet"]);
    for part in [
        "total-correlation",
        "without labels",
        "of the variance",
        "by column",
        "data.factors",
        "RUN2",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json: Json =
        serde_json::from_str(&succeed(&["score", word(&runs[0]), "--quiet", "--json"])).unwrap();
    assert_eq!(json["without_labels"]["columns"].as_array().map(Vec::len), Some(4));
    // What is asked by name is answered as before.
    refuse(&["score", word(&runs[0]), "--metrics", "mig"], "no score could be computed");
    let both = succeed(&["score", word(&runs[0]), word(&runs[1]), "--quiet", "--json"]);
    let both: Json = serde_json::from_str(&both).unwrap();
    assert!(both["runs"][1]["udr"].as_f64().is_some(), "{both}");

    succeed(&["report", word(&runs[0]), "--quiet"]);
    let page = fs::read_to_string(runs[0].join("report.html")).unwrap();
    for part in [
        "VAE on series.csv",
        "what each code moves",
        "the rows by two codes",
        "how each code is distributed",
    ] {
        assert!(page.contains(part), "{part}");
    }

    // The folder moves away: scores and the page are of what the run has kept.
    fs::rename(&data, directory.path().join("elsewhere.csv")).unwrap();
    let again = run(&["score", word(&runs[0])]);
    let notes = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        again.status.success() && notes.contains("no longer at") && notes.contains("has kept"),
        "{notes}"
    );
    succeed(&["report", word(&runs[0]), "--quiet"]);
    let page = fs::read_to_string(runs[0].join("report.html")).unwrap();
    assert!(page.contains("The data were not at") && page.contains("what each code moves"));
    // A run that was never scored keeps no codes, and the way out is said.
    fs::remove_file(runs[1].join("representation.npz")).unwrap();
    refuse(&["score", word(&runs[1])], "put them back");
}

#[test]
fn a_model_that_wants_segments_says_how_a_table_becomes_a_series() {
    let directory = tempfile::tempdir().unwrap();
    let data = series(directory.path());
    let out = directory.path().join("run");
    let words = ["train", "--model", "ivae", "--data", word(&data), "--out", word(&out)];
    for part in [
        "--data mixing --set data.path=",
        "means or spreads change at about rows 100, 200, 300",
        "data.segment=site",
    ] {
        refuse(&words, part);
    }
    // And what it says works.
    let (path, length) = (format!("data.path={}", word(&data)), "data.segment_length=100");
    #[rustfmt::skip]
    succeed(&[
        "train", "--quiet", "--model", "ivae", "--data", "mixing", "--set", &path, "--set", length, "--set",
        "model.start=random", "--set", "data.ignore=['site']", "--set", "train.batch=16", "--steps", "2", "--out", word(&out),
    ]);
    // Another file is read as the series was, with its segments.
    let codes = directory.path().join("codes.npz");
    succeed(&["encode", word(&out), "--data", word(&data), "--out", word(&codes), "--quiet"]);
    assert_eq!(Npz::open(&codes).unwrap().array("codes").unwrap().shape[0], 400);
}

#[test]
fn pictures_are_encoded_in_the_size_that_was_learned_from_and_classes_keep_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("shop");
    for (kind, level) in [("cup", 40_u8), ("plate", 200)] {
        fs::create_dir_all(folder.join(kind)).unwrap();
        for k in 0..12_u8 {
            let picture = image::GrayImage::from_fn(11, 9, |x, y| {
                image::Luma([level + k + (x * y) as u8 % 9])
            });
            picture.save(folder.join(kind).join(format!("{k}.png"))).unwrap();
        }
    }
    let out = directory.path().join("run");
    #[rustfmt::skip]
    succeed(&[
        "train", "--quiet", "--model", "vae", "--data", word(&folder), "--set", "data.size=8", "--set", "data.labels=folders",
        "--set", "model.width=8", "--set", "train.batch=8", "--steps", "2", "--out", word(&out),
    ]);
    let codes = directory.path().join("codes.npz");
    succeed(&["encode", word(&out), "--data", word(&folder), "--out", word(&codes), "--quiet"]);
    let info =
        succeed(&["data", "info", word(&folder), "--set", "labels=folders", "--set", "size=8"]);
    assert!(info.contains("2: cup, plate"), "{info}");
    succeed(&["report", word(&out), "--quiet"]);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("VAE on shop") && page.contains(">plate<"), "classes by their names");
}
