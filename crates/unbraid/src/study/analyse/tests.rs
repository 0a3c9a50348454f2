//! Analyses of constructed tables whose answers are known.

use std::fs;

use unbraid_measure::tables::frame::Frame;
use unbraid_measure::watch::Nobody;

use super::models::tests::of;
use super::{ANALYSES, Analyses, Request, Verdict, analyse};

/// A study in which everything is as the paper says: 2 data sets, 3 methods with 3 strengths, 6 seeds. Scores are mostly the
/// seed's doing, samples lose their correlation with the strength, means gain it.
fn as_published() -> Frame {
    let mut rows = Vec::new();
    for (d, data) in ["dsprites", "cars3d"].into_iter().enumerate() {
        for (m, method) in ["β-VAE", "FactorVAE", "AnnealedVAE"].into_iter().enumerate() {
            for s in 0..3 {
                for seed in 0..6_i64 {
                    // The same everywhere for a seed, but in another order on each data set and for each setting.
                    let luck = |k: usize| {
                        ((seed as usize * 7 + s * 5 + m * 3 + d * 11 + k * k * 13) % 17) as f64
                            / 17.0
                    };
                    let (a, b) = (luck(0), luck(1));
                    let mut put = |of, metric, value| {
                        rows.push((data, method, s as f64, seed, of, metric, value));
                    };
                    put("mean", "beta-vae-score", a);
                    put("mean", "factor-vae-score", a + 0.05 * b);
                    put("mean", "mig", 0.4 * a + b);
                    put("mean", "dci", 0.45 * a + b);
                    put("mean", "modularity", luck(3));
                    put("mean", "sap", 0.5 * a + 0.4 * b + 0.3 * luck(2));
                    put("sampled", "total-correlation", 1.0 / (1.0 + s as f64) + 0.01 * b);
                    put("mean", "total-correlation", 2.0 + s as f64 + 0.01 * a);
                    put("mean", "downstream-gbt/test/100", 0.5 + 0.1 * a);
                    put("mean", "downstream-gbt/test/10000", 0.8 + 0.1 * a);
                    put("mean", "downstream-gbt/statistical_efficiency", 0.7 + 0.1 * luck(4));
                    put("training", "reconstruction", 20.0 + luck(5));
                    put("training", "kl", 10.0 - luck(6));
                }
            }
        }
    }
    of(&rows)
}

fn analysed(table: &Frame) -> (tempfile::TempDir, Analyses) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.csv");
    table.write_csv(&path).unwrap();
    let out = Some(directory.path().join("analysis"));
    let request = Request { study: None, tables: vec![path], out };
    let found = analyse(&request, &Nobody).unwrap();
    (directory, found)
}

#[test]
fn a_table_that_is_as_published_is_read_so() {
    let (_directory, found) = analysed(&as_published());
    let verdicts: Vec<Verdict> = found.conclusions.iter().map(|one| one.verdict).collect();
    let said: Vec<_> = found.conclusions.iter().map(|one| &one.evidence).collect();
    assert_eq!(verdicts[0], Verdict::Holds, "{said:#?}");
    assert_eq!(verdicts[1], Verdict::Holds, "{said:#?}");
    assert_eq!(verdicts[2], Verdict::Holds, "{said:#?}");
    assert_eq!(verdicts[4], Verdict::Holds, "{said:#?}");
    // Gallery and UDR need runs.
    let missing: Vec<&str> =
        found.findings.iter().filter(|(_, found)| found.is_none()).map(|(one, _)| one.id).collect();
    assert_eq!(missing, ["A12", "A13"]);
    assert_eq!(found.count.models, 108);
    assert_eq!(found.count.seeds, [6, 6]);
}

#[test]
fn everything_is_written_and_the_page_needs_nothing_else() {
    let (_directory, found) = analysed(&as_published());
    let page = fs::read_to_string(found.page()).unwrap();
    for words in
        ["holds here", "published 29", "Variance explained by the objective", "on dsprites", "A9"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(
        !page.contains("http://") || !page.contains("src=\"http"),
        "the page asks for something from elsewhere"
    );
    let shares = Frame::read(&found.directory.join("a5-objective.csv")).unwrap();
    assert_eq!(shares.column("MIG published").unwrap().number(0), Some(0.26));
    for finding in found.findings.iter().filter_map(|(_, finding)| finding.as_ref()) {
        for grid in &finding.grids {
            assert!(found.directory.join(format!("{}.csv", grid.name)).is_file(), "{}", grid.name);
            assert!(grid.rows.iter().all(|row| row.len() == grid.head.len()), "{}", grid.name);
        }
    }
    let again = found.to_json().to_string();
    assert!(again.contains("\"A5\"") && again.contains("\"interval\""));
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let [(_a, one), (_b, other)] = [analysed(&as_published()), analysed(&as_published())];
    assert_eq!(one.to_json(), other.to_json());
}

#[test]
fn what_cannot_be_analysed_is_refused_with_the_way_out() {
    let refused = |table: Frame| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table.csv");
        table.write_csv(&path).unwrap();
        let request = Request {
            tables: vec![path],
            out: Some(directory.path().join("out")),
            ..Request::default()
        };
        analyse(&request, &Nobody).err().unwrap().to_string()
    };
    assert!(refused(of(&[])).contains("no run is done yet"));
    let one = |metric| of(&[("squares", "VAE", 1.0, 0, "mean", metric, 0.5)]);
    assert!(refused(one("total-correlation")).contains("name some in `score.metrics`"));
    assert!(refused(one("mig")).contains("one method with one strength"));
    let nowhere = Request { tables: vec!["table.csv".into()], ..Request::default() };
    assert!(analyse(&nowhere, &Nobody).is_err());
}

#[test]
fn every_analysis_has_its_number_and_belongs_to_a_result_or_to_the_models() {
    for (k, analysis) in ANALYSES.iter().enumerate() {
        assert_eq!(analysis.id, format!("A{}", k + 1));
        assert!(analysis.about.ends_with('.'), "{}", analysis.id);
    }
}
