//! Every metric against the values of the original code, at the tolerance stated with each value.
//! Inputs, values and where they come from: `golden/README.md`.

#[path = "golden/mine.rs"]
mod mine;
#[path = "golden/mod.rs"]
mod set;

use std::collections::BTreeMap;

use serde_json::Value;
use set::{entries, input, number, numbers, text, whole};
use unbraid_measure::metrics::beta_vae_score::BetaVaeScore;
use unbraid_measure::metrics::dci::Dci;
use unbraid_measure::metrics::downstream_lr::DownstreamLr;
use unbraid_measure::metrics::explicitness::Explicitness;
use unbraid_measure::metrics::factor_vae_score::FactorVaeScore;
use unbraid_measure::metrics::irs::Irs;
use unbraid_measure::metrics::mcc::Mcc;
use unbraid_measure::metrics::mig::Mig;
use unbraid_measure::metrics::modularity::Modularity;
use unbraid_measure::metrics::mutual_info::MutualInfo;
use unbraid_measure::metrics::sap::Sap;
use unbraid_measure::metrics::total_correlation::TotalCorrelation;
use unbraid_measure::metrics::udr::{Similarity, Udr};
use unbraid_measure::metrics::wasserstein::Wasserstein;
use unbraid_measure::metrics::{Metric, Score};
use unbraid_measure::predictors::lasso::Lasso;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Stage;

/// How a metric of the index is computed here.
struct Known {
    /// Its name in the index.
    name: &'static str,
    /// How many entries the index has for it: none may get lost.
    entries: usize,
    /// Our metric with the settings of an entry.
    metric: fn(&Value) -> Box<dyn Metric>,
    /// Where in the score the number is.
    read: Read,
}

/// Where in a score a number is.
enum Read {
    /// Its value.
    Value,
    /// The part of this name.
    Part(&'static str),
    /// All parts in order, where the index has a list.
    Parts,
}

use Read::{Part, Parts, Value as Whole};

const KNOWN: &[Known] = &[
    Known { name: "mig", entries: 13, metric: |_| Box::new(Mig), read: Whole },
    Known { name: "modularity", entries: 13, metric: |_| Box::new(Modularity), read: Whole },
    Known { name: "irs", entries: 26, metric: irs, read: Whole },
    Known { name: "mcc_pearson", entries: 13, metric: |_| Box::new(Mcc::PEARSON), read: Whole },
    Known { name: "mcc_spearman", entries: 13, metric: |_| Box::new(Mcc::SPEARMAN), read: Whole },
    Known { name: "factor_vae_eval_accuracy", entries: 23, metric: factor_vae, read: Whole },
    Known {
        name: "factor_vae_train_accuracy",
        entries: 23,
        metric: factor_vae,
        read: Part("train"),
    },
    Known {
        name: "gaussian_total_correlation",
        entries: 13,
        metric: |_| Box::new(TotalCorrelation),
        read: Whole,
    },
    Known {
        name: "gaussian_wasserstein_correlation",
        entries: 13,
        metric: |_| Box::new(Wasserstein),
        read: Whole,
    },
    Known {
        name: "gaussian_wasserstein_correlation_norm",
        entries: 13,
        metric: |_| Box::new(Wasserstein),
        read: Part("normalised"),
    },
    Known { name: "mutual_info_score", entries: 13, metric: |_| Box::new(MutualInfo), read: Whole },
    Known { name: "mic_tic_matrix", entries: 5, metric: mine::mic, read: Whole },
    Known { name: "mic_tic_matrix_e", entries: 5, metric: mine::mic, read: Whole },
    Known { name: "udr_lasso", entries: 1, metric: udr, read: Parts },
    Known { name: "udr_spearman", entries: 1, metric: udr, read: Parts },
    Known { name: "dci_disentanglement", entries: 9, metric: |_| Box::new(Dci), read: Whole },
    Known {
        name: "dci_completeness",
        entries: 9,
        metric: |_| Box::new(Dci),
        read: Part("completeness"),
    },
    Known {
        name: "dci_informativeness_train",
        entries: 9,
        metric: |_| Box::new(Dci),
        read: Part("informativeness_train"),
    },
    Known {
        name: "dci_informativeness_test",
        entries: 9,
        metric: |_| Box::new(Dci),
        read: Part("informativeness_test"),
    },
    Known { name: "sap_discrete", entries: 10, metric: |_| Box::new(Sap::DISCRETE), read: Whole },
    Known {
        name: "sap_continuous",
        entries: 13,
        metric: |_| Box::new(Sap::CONTINUOUS),
        read: Whole,
    },
    Known { name: "explicitness", entries: 1, metric: |_| Box::new(Explicitness), read: Whole },
    Known {
        name: "explicitness_test",
        entries: 8,
        metric: |_| Box::new(Explicitness),
        read: Whole,
    },
    Known {
        name: "explicitness_train",
        entries: 8,
        metric: |_| Box::new(Explicitness),
        read: Part("train"),
    },
    Known { name: "beta_vae_eval_accuracy", entries: 22, metric: beta_vae, read: Whole },
    Known { name: "beta_vae_train_accuracy", entries: 22, metric: beta_vae, read: Part("train") },
    Known { name: "downstream_lr_mean_test_accuracy", entries: 9, metric: downstream, read: Whole },
    Known {
        name: "downstream_lr_mean_train_accuracy",
        entries: 9,
        metric: downstream,
        read: Part("train/1500"),
    },
];

fn irs(params: &Value) -> Box<dyn Metric> {
    Box::new(Irs { quantile: number(&params["diff_quantile"]) })
}

fn factor_vae(params: &Value) -> Box<dyn Metric> {
    Box::new(FactorVaeScore {
        batch: whole(&params["batch_size"]),
        train_votes: whole(&params["num_train"]),
        test_votes: whole(&params["num_eval"]),
        variance_rows: whole(&params["num_variance_estimate"]),
        threshold: number(&params["prune_threshold"]),
    })
}

fn udr(params: &Value) -> Box<dyn Metric> {
    let given = |name: &str, default: f64| params.get(name).map_or(default, number);
    let similarity = match text(&params["correlation_matrix"]) {
        "lasso" => Similarity::Lasso(Lasso::new(given("lasso_alpha", 0.1))),
        "spearman" => Similarity::Spearman,
        other => panic!("no similarity `{other}`"),
    };
    Box::new(Udr { similarity, threshold: given("kl_filter_threshold", 0.01) })
}

fn beta_vae(params: &Value) -> Box<dyn Metric> {
    Box::new(BetaVaeScore {
        batch: whole(&params["batch_size"]),
        train_points: whole(&params["num_train"]),
        test_points: whole(&params["num_eval"]),
        ..BetaVaeScore::STUDY
    })
}

fn downstream(params: &Value) -> Box<dyn Metric> {
    Box::new(DownstreamLr { sizes: vec![whole(&params["n_train"])].into() })
}

#[test]
fn every_entry_is_reproduced() {
    // Several entries read one score: train and test accuracy, say.
    let mut scores: BTreeMap<String, Option<Score>> = BTreeMap::new();
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for entry in entries() {
        let name = text(&entry["metric"]);
        let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
            // Those of single pairs of columns are no metrics here: `golden/mine.rs`.
            assert_eq!(entry["file"], "mic/pairs.npz", "{name} is not KNOWN");
            continue;
        };
        let metric = (known.metric)(&entry["params"]);
        let key = format!("{} {} {}", metric.info().name, entry["case"], entry["params"]);
        let score = scores.entry(key).or_insert_with(|| {
            metric.score(&input(&entry), &mut Rng::new(0), &Stage::unwatched()).ok()
        });
        if let Err(reason) = check(&entry, score.as_ref(), &known.read) {
            failures.push(format!("{}: {reason}", entry["id"]));
        }
        *checked.entry(known.name).or_default() += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let expected = KNOWN.iter().map(|known| (known.name, known.entries)).collect();
    assert_eq!(checked, expected, "entries were lost, or are new: say so in KNOWN");
}

#[test]
fn the_information_behind_mig_is_reproduced() {
    for entry in entries().iter().filter(|entry| entry["metric"] == "mig") {
        let score = Mig.score(&input(entry), &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let detail = &entry["detail"];
        let parts: Vec<f64> = score.parts.iter().map(|(_, gap)| *gap).collect();
        assert_close(&entry["id"], &parts, &numbers(&detail["per_factor"]));
        let matrix: Vec<f64> = score.matrix.unwrap().iter().copied().collect();
        let rows = detail["mi_matrix"].as_array().unwrap();
        assert_close(&entry["id"], &matrix, &rows.iter().flat_map(numbers).collect::<Vec<_>>());
    }
}

#[test]
fn the_robustness_behind_irs_is_reproduced() {
    for entry in entries().iter().filter(|entry| entry["metric"] == "irs") {
        let metric = irs(&entry["params"]);
        let score = metric.score(&input(entry), &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let parts: Vec<f64> = score.parts.iter().map(|(_, best)| *best).collect();
        assert_close(&entry["id"], &parts, &numbers(&entry["detail"]["per_code"]));
        // The index leaves out codes that never change; here their rows are zero.
        let matrix = score.matrix.unwrap();
        let rows = matrix.rows().into_iter().filter(|row| row.iter().any(|entry| *entry != 0.0));
        let found: Vec<f64> = rows.flatten().copied().collect();
        let expected = entry["detail"]["irs_matrix"].as_array().unwrap();
        assert_close(&entry["id"], &found, &expected.iter().flat_map(numbers).collect::<Vec<_>>());
    }
}

#[test]
fn the_matrices_behind_sap_and_the_areas_behind_explicitness_are_reproduced() {
    for entry in entries() {
        let (metric, tolerance): (&dyn Metric, f64) = match text(&entry["metric"]) {
            "sap_discrete" => (&Sap::DISCRETE, 0.01),
            "sap_continuous" => (&Sap::CONTINUOUS, 1e-6),
            "explicitness_test" => (&Explicitness, 2e-3),
            _ => continue,
        };
        let score = metric.score(&input(&entry), &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let (found, expected): (Vec<f64>, Vec<f64>) =
            if let Value::Array(rows) = &entry["detail"]["score_matrix"] {
                let entries = score.matrix.unwrap().into_iter().collect();
                (entries, rows.iter().flat_map(numbers).collect())
            } else {
                let areas = score.parts[1..].iter().map(|(_, area)| *area).collect();
                (areas, numbers(&entry["detail"]["per_factor"]))
            };
        assert_eq!(found.len(), expected.len(), "{}", entry["id"]);
        for (found, expected) in found.iter().zip(&expected) {
            let off = (found - expected).abs();
            assert!(off <= tolerance, "{}: {found}, not {expected}", entry["id"]);
        }
    }
}

fn check(entry: &Value, score: Option<&Score>, read: &Read) -> Result<(), String> {
    let found = score.map(|score| match read {
        Whole => vec![score.value],
        Part(part) => vec![score.part(part).expect("a part of the score")],
        Parts => score.parts.iter().map(|(_, value)| *value).collect(),
    });
    let expected = match &entry["expected"] {
        Value::Null => None,
        list @ Value::Array(_) => Some(numbers(list)),
        one => Some(vec![number(one)]),
    };
    let tolerance = entry["tolerance"].as_f64().unwrap_or(0.0);
    let right = match (&expected, &found) {
        (Some(expected), Some(found)) => {
            let near = |(e, f): (&f64, &f64)| (e - f).abs() <= tolerance;
            expected.len() == found.len() && expected.iter().zip(found).all(near)
        }
        (expected, found) => expected.is_none() && found.is_none(),
    };
    right.then_some(()).ok_or_else(|| format!("{found:?}, not {expected:?} +- {tolerance}"))
}

fn assert_close(id: &Value, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{id}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-6, "{id}: {found}, not {expected}");
    }
}
