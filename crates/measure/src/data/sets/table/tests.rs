use std::fmt::Write as _;

use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{self, Dataset, Role};

const TEXT: &str = "a,b,temperature,machine,run\n\
                    0.5,1,20,press,1\n0.25,2,21,lathe,1\n-1,3,20,press,2\n";

/// A file of its own for one test, and what is opened of it.
struct File {
    _dir: tempfile::TempDir,
    path: std::path::PathBuf,
}

impl File {
    fn new(name: &str, text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        Self { _dir: dir, path }
    }

    fn open(&self, more: &str) -> Result<Opened> {
        let mut settings: TomlTable = more.parse().unwrap();
        settings.insert("path".into(), self.path.to_str().unwrap().into());
        open(&settings)
    }
}

fn read(text: &str, more: &str) -> Result<Box<dyn Dataset>> {
    Ok(File::new("mine.csv", text).open(more)?.0)
}

/// Settings that a run of an earlier version has, as they are completed when it is opened.
const EARLIER: &str = "scale = 'none'\ncolumns = ['*']\n";

#[test]
fn columns_are_observed_or_factors_or_neither() {
    let more = "factors = ['temperature', 'machine']\nepisode = 'run'\nscale = 'none'";
    let data = read(TEXT, more).unwrap();
    assert_eq!((data.len(), data.shape().channels), (3, 2));
    assert_eq!(row(&*data, 1), [0.25, 2.0]);
    assert_eq!(data.label(1), Some(vec![21.0, 0.0]));
    let next = |row| data.next(row).map(|step| step.index);
    assert_eq!((next(0), next(1), next(2)), (Some(1), None, None));
    let data = read(TEXT, "ignore = ['machine', 'run']").unwrap();
    assert_eq!((data.shape().channels, data.factors().len()), (3, 0));
    assert!(data.about().scaling.is_some());
}

#[test]
fn mistakes_are_named() {
    let refused = |text, more, part| assert_refused(read(text, more), &[part]);
    refused(TEXT, "factors = ['temprature']", "did you mean `temperature`?");
    refused(TEXT, "columns = ['A']", "did you mean `a`?");
    refused(TEXT, "columns = ['a']\nfactors = ['a']", "names the column `a`, and `data.factors`");
    refused(TEXT, "ignore = ['a', 'a']", "names the column `a` twice");
    refused(TEXT, EARLIER, "column `machine` holds words");
    refused("a,b\n1,2\n", "ignore = ['a', 'b']", "has no column left to observe");
    refused("a,b\n3,x\n3,x\n", "", "`a` never changes, `b` never changes");
    refused("a,b\n1,inf\n3,4\n", "", "column `b` has inf in line 2");
    refused("a,b\n1,2\n3,x\n", "", "line 3 has `x`, which is no number, where other cells");
    refused("a,b\n1,\n3,4\n5,6\n", "", "line 2, column `b` is empty (1 of 3 rows have none)");
    refused("b\n4\n\"\"\n", "", "`b` has one value only, and gaps");
    refused("a,b\n1,nan\n3,4\n5,6\n", "", "line 2, column `b` has `nan`, which is no value");
    refused("a,b\n\"1,234\",1\n\"2,345\",2\n", "", "column `a` has `1,234` in line 2, whose comma");
    refused("a,d\n1,2024-01-01\n2,2024-01-02\n", "columns = ['d']", "column `d` has times");
    refused("a,b\n1e300,1\n2,2\n", "scale = 'none'", "has numbers up to 1e300");
    refused("a,b\n1,2\n3,4\n", "scale = 'z'", "known: standard, robust, none");
    refused("a,e\n1,1\n3,\n", "episode = 'e'", "line 3, column `e` is empty; fill it in");
}

#[test]
fn columns_are_brought_to_one_scale_and_back() {
    let mut text = String::from("pressure,current\n");
    for k in 0..500_u32 {
        let (pressure, current) = (1.0e9 + f64::from(k * k % 499), f64::from(k * 31 % 500) * 1e-6);
        writeln!(text, "{pressure},{current}").unwrap();
    }
    for (scale, middle, spread) in [("standard", 1e-3, 1.0_f32), ("robust", 0.2, 0.78)] {
        let data = read(&text, &format!("scale = '{scale}'")).unwrap();
        let rows: Vec<usize> = (0..data.len()).collect();
        let seen = data::observations(&*data, &rows);
        for column in seen.columns() {
            let mean = column.mean().unwrap();
            let deviation = column.std(0.0);
            assert!(mean.abs() < middle && (deviation - spread).abs() < 0.05, "{mean} {deviation}");
        }
        let again = data::observations_in_units(&*data, &rows);
        // Whole steps beside a thousand million: 32 bits hold them to 64.
        assert!((again[[1, 0]] - (1.0e9 + 1.0)).abs() <= 64.0, "{}", again[[1, 0]]);
        assert!((again[[1, 1]] - 31e-6).abs() < 1e-9, "{}", again[[1, 1]]);
    }
}

#[test]
fn a_run_of_an_earlier_version_reads_its_numbers_as_they_were() {
    let mut text = String::from("id,same,value,large\n");
    for k in 0..40 {
        writeln!(text, "{k},7,{},{}", f64::from(k * k) * 0.1, (1_i64 << 40) + i64::from(k))
            .unwrap();
    }
    let data = read(&text, EARLIER).unwrap();
    assert_eq!((data.shape().channels, data.about().scaling.is_none()), (4, true));
    // Whole numbers too large for 32 bits were numbered in their order.
    assert_eq!(row(&*data, 3), [3.0, 7.0, 0.9, 3.0]);
    let now = read(&text, "").unwrap();
    assert_eq!(now.shape().channels, 1, "{:?}", now.about().channels);
}

#[test]
fn what_names_the_rows_is_left_out_and_named() {
    let mut text = String::from(",when,serial,site,pressure\n");
    for k in 0..60 {
        writeln!(text, "{k},2024-03-{:02},S{k:03},north,{}", k % 28 + 1, k * k % 59).unwrap();
    }
    let data = read(&text, "").unwrap();
    let about = data.about();
    let roles: Vec<Role> = about.channels.iter().map(|channel| channel.role).collect();
    let (out, time) = (Role::LeftOut, Role::Time);
    assert_eq!(roles, [out, time, out, out, Role::Observed]);
    let said = &about.remarks[0];
    for part in ["`column-1` (numbers the rows", "`when` (has times)", "`site` (never changes)"] {
        assert!(said.contains(part), "{said}");
    }
    // A run that is opened again says the same.
    let file = File::new("mine.csv", &text);
    let (_, kept) = file.open("").unwrap();
    assert_eq!(open(&kept).unwrap().0.about(), file.open("").unwrap().0.about());
    // A column that is asked for is taken.
    let data = read(&text, "columns = ['column-1', 'pressure']").unwrap();
    assert_eq!((data.shape().channels, data.about().remarks.len()), (2, 0));
}

#[test]
fn the_same_numbers_are_read_whatever_parts_them() {
    let plain = "a,b,kind\n1.5,2.5,x\n0.5,-3,y\n2,1e2,x\n";
    let expected = read(plain, "ignore = ['kind']").unwrap();
    let expected: Vec<Vec<f32>> = (0..3).map(|k| row(&*expected, k)).collect();
    for (name, text) in [
        ("mine.csv", "a;b;kind\r\n1,5;2,5;x\r\n0,5;-3;y\r\n2;1e2;x\r\n"),
        ("mine.tsv", "a\tb\tkind\n1.5\t2.5\tx\n0.5\t-3\ty\n2\t1e2\tx\n"),
        ("mine.csv", "\"a\",\"b\",\"kind\"\n\"1,5\",\"2,5\",x\n\"0,5\",-3,y\n2,1e2,x\n"),
        ("mine.csv", "a|b|kind\n1.5|2.5|x\n0.5|-3|y\n2|1e2|x\n"),
    ] {
        let data = File::new(name, text).open("ignore = ['kind']").unwrap().0;
        let found: Vec<Vec<f32>> = (0..3).map(|k| row(&*data, k)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn words_become_a_number_each_or_their_counts() {
    let text = "a,kind\n1,cup\n2,jug\n3,cup\n4,mug\n";
    let data = read(text, "scale = 'none'").unwrap();
    assert_eq!(data.shape().channels, 4);
    assert_eq!(row(&*data, 1), [2.0, 0.0, 1.0, 0.0]);
    let counts = read(text, "scale = 'none'\nwords = 'counts'").unwrap();
    assert_eq!((row(&*counts, 0), row(&*counts, 1)), (vec![1.0, 0.5], vec![2.0, 0.25]));
    let scaled = read(text, "words = 'counts'").unwrap();
    let seen: f32 = (0..4).map(|k| row(&*scaled, k)[1]).sum();
    assert!(seen.abs() < 1e-6);
    let even = "a,kind\n1,cup\n2,jug\n3,cup\n5,jug\n";
    assert_refused(read(even, "words = 'counts'"), &["column `kind` has each word equally often"]);
}

#[test]
fn a_glance_says_what_opening_says() {
    let file = File::new("mine.csv", TEXT);
    let more = "factors = ['temperature']\nepisode = 'run'";
    let mut settings: TomlTable = more.parse().unwrap();
    settings.insert("path".into(), file.path.to_str().unwrap().into());
    let (seen, opened) = (glance(&settings).unwrap(), file.open(more).unwrap().0);
    assert_eq!((seen.rows, seen.shape), (opened.len(), opened.shape()));
    assert_eq!(&seen.about, opened.about());
    assert!(seen.labels && seen.sequences);
    assert!(data::glance("table", &settings).unwrap().is_none(), "it is small");
}

#[test]
fn gaps_are_refused_dropped_or_filled() {
    let text = "a,b,kind,run\n1,10,x,1\n2,NA,y,1\n,30,x,1\n6,50,,1\n";
    assert_refused(
        read(text, "episode = 'run'"),
        &["column `a`", "line 4", "\"drop\" or \"impute\""],
    );
    let dropped = read(text, "missing = 'drop'\nepisode = 'run'\nscale = 'none'").unwrap();
    assert_eq!((dropped.len(), row(&*dropped, 0)), (1, vec![1.0, 10.0, 1.0, 0.0]));
    let said = &dropped.about().remarks;
    assert_eq!(said[0], "3 of 4 rows are dropped, since values are missing in `a`, `b`, `kind`");
    let filled = read(text, "missing = 'impute'\nepisode = 'run'\nscale = 'none'").unwrap();
    assert_eq!(row(&*filled, 2), [3.0, 30.0, 1.0, 0.0]);
    assert_eq!((row(&*filled, 1)[1], row(&*filled, 3)[2..].to_vec()), (30.0, vec![0.0, 0.0]));
    assert_eq!(filled.about().remarks.len(), 3);
    let scaled = read(text, "missing = 'impute'\nepisode = 'run'").unwrap();
    assert_eq!(row(&*scaled, 2)[0], 0.0);
    let empty = "a,b\n1,\n,2\n3,\n,5\n";
    assert_refused(read(empty, "missing = 'drop'"), &["has no row without a gap in `a`, `b`"]);
}

#[test]
fn a_row_that_is_dropped_parts_a_sequence() {
    let text = "a,run\n1,1\n2,1\n,1\n4,1\n5,1\n";
    let data = read(text, "missing = 'drop'\nepisode = 'run'").unwrap();
    let next: Vec<Option<usize>> = (0..4).map(|k| data.next(k).map(|step| step.index)).collect();
    assert_eq!(next, [Some(1), None, Some(3), None]);
}

#[test]
fn rows_without_a_factor_are_learned_from_and_not_scored() {
    let text = "a,b,kind\n1,5,x\n2,3,\n3,4,y\n5,1,NA\n4,2,x\n";
    let data = read(text, "factors = ['kind']").unwrap();
    assert_eq!((data.len(), data.unlabelled()), (5, 2));
    assert_eq!(data.factors()[0].size(), Some(2));
    let rng = crate::rng::Rng::new(0);
    assert_eq!(data::labelled_rows(&*data, 100, &rng), [0, 2, 4]);
    assert_eq!(data::labelled_rows(&*data, 2, &rng).len(), 2);
    assert_eq!((data.label(1), data.label(2)), (None, Some(vec![1.0])));
    assert!(data.about().remarks[0].starts_with("2 of 5 rows have no value of some factor"));
    for supervision in
        [data::Supervision::Labels, data::Supervision::SomeLabels(data::SomeLabels { labelled: 9 })]
    {
        let sampler = data::Sampler::new(&*data, supervision, false, rng.clone()).unwrap();
        let draw = sampler.draw(0, 50);
        assert!(draw.labels.len() == 50 && draw.labels.iter().all(|label| label.is_finite()));
    }
    let plain = data::Sampler::new(&*data, data::Supervision::None, false, rng).unwrap();
    assert!(plain.draw(0, 50).rows.contains(&1), "rows without labels are learned from");
    // A part of the rows keeps what is known of them.
    let file = File::new("mine.csv", text);
    let settings =
        format!("path = {:?}\nfactors = ['kind']\n[variant]\nkeep = {{ kind = 0 }}", file.path);
    let part = data::open("table", &settings.parse().unwrap()).unwrap().0;
    assert_eq!((part.len(), part.unlabelled()), (2, 0));
}

#[test]
fn another_file_is_read_as_the_one_that_was_learned_from() {
    let train = File::new("train.csv", "a,kind\n0,cup\n10,jug\n20,cup\n30,mug\n");
    let (data, kept) = train.open("").unwrap();
    assert_eq!(train.open("").unwrap().1, kept);
    let other = File::new("test.csv", "kind,more,a\ncup,1,20\ncup,2,1000\n");
    let mut settings = kept.clone();
    settings.insert("path".into(), other.path.to_str().unwrap().into());
    let (test, again) = open(&settings).unwrap();
    // Whatever the order of its columns; `more` was not there.
    assert_eq!(row(&*test, 0), row(&*data, 2));
    assert_eq!(again["kept"], kept["kept"]);
    let unseen = File::new("test.csv", "a,kind\n1,cup\n2,pot\n");
    settings.insert("path".into(), unseen.path.to_str().unwrap().into());
    assert_refused(open(&settings), &["line 3, column `kind` has `pot`, a word that"]);
    // With another scale nothing that was kept fits.
    settings.insert("path".into(), train.path.to_str().unwrap().into());
    settings.insert("scale".into(), "robust".into());
    assert_eq!(open(&settings).unwrap().1["kept"]["scale"].as_str(), Some("robust"));
}
