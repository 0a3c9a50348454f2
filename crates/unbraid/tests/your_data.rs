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
