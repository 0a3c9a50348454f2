//! Every metric against the values of the original code, at the tolerance stated with each value.
//! Inputs, values and where they come from: `golden/README.md`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ndarray::Array2;
use serde_json::Value;
use unbraid_measure::factors::Factor;
use unbraid_measure::metrics::factor_vae_score::FactorVaeScore;
use unbraid_measure::metrics::mcc::Mcc;
use unbraid_measure::metrics::mig::Mig;
use unbraid_measure::metrics::{Metric, Score};
use unbraid_measure::npz::read_npy;
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

/// How a metric of the index is computed here.
struct Known {
    /// Its name in the index.
    name: &'static str,
    /// How many entries the index has for it: none may get lost.
    entries: usize,
    /// Our metric with the settings of an entry.
    metric: fn(&Value) -> Box<dyn Metric>,
    /// The part of the score that is meant, or "" for its value.
    part: &'static str,
}

const KNOWN: &[Known] = &[
    Known { name: "mig", entries: 13, metric: mig, part: "" },
    Known { name: "mcc_pearson", entries: 13, metric: |_| Box::new(Mcc::PEARSON), part: "" },
    Known { name: "mcc_spearman", entries: 13, metric: |_| Box::new(Mcc::SPEARMAN), part: "" },
    Known { name: "factor_vae_eval_accuracy", entries: 23, metric: factor_vae, part: "" },
    Known { name: "factor_vae_train_accuracy", entries: 23, metric: factor_vae, part: "train" },
];

fn mig(_: &Value) -> Box<dyn Metric> {
    Box::new(Mig)
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

#[test]
fn every_entry_is_reproduced() {
    let mut inputs = BTreeMap::new();
    let mut checked: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for entry in entries() {
        let known = known(&entry);
        let input = inputs.entry(text(&entry["case"]).to_string()).or_insert_with(|| input(&entry));
        let score =
            (known.metric)(&entry["params"]).score(input, &mut Rng::new(0), &Watch::nobody());
        if let Err(reason) = check(&entry, score.ok().as_ref(), known.part) {
            failures.push(format!("{}: {reason}", entry["id"]));
        }
        *checked.entry(known.name.into()).or_default() += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let expected = KNOWN.iter().map(|known| (known.name.to_string(), known.entries)).collect();
    assert_eq!(checked, expected, "entries were lost, or are new: say so in KNOWN");
}

#[test]
fn the_information_behind_mig_is_reproduced() {
    for entry in entries().iter().filter(|entry| entry["metric"] == "mig") {
        let score =
            mig(&entry["params"]).score(&input(entry), &mut Rng::new(0), &Watch::nobody()).unwrap();
        let detail = &entry["detail"];
        let parts: Vec<f64> = score.parts.iter().map(|(_, gap)| *gap).collect();
        assert_close(&entry["id"], &parts, &numbers(&detail["per_factor"]));
        let matrix: Vec<f64> = score.matrix.unwrap().iter().copied().collect();
        let rows = detail["mi_matrix"].as_array().unwrap();
        assert_close(&entry["id"], &matrix, &rows.iter().flat_map(numbers).collect::<Vec<_>>());
    }
}

fn check(entry: &Value, score: Option<&Score>, part: &str) -> Result<(), String> {
    let found = score.map(|score| match part {
        "" => score.value,
        part => score.parts.iter().find(|(name, _)| name == part).expect("a part of the score").1,
    });
    match (entry["expected"].as_f64(), found) {
        (None, None) => Ok(()),
        (Some(expected), Some(found)) => {
            let (off, tolerance) = ((found - expected).abs(), number(&entry["tolerance"]));
            let right = off <= tolerance;
            right.then_some(()).ok_or(format!("{found}, not {expected} +- {tolerance}"))
        }
        (expected, found) => Err(format!("{found:?}, not {expected:?}")),
    }
}

fn assert_close(id: &Value, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{id}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-6, "{id}: {found}, not {expected}");
    }
}

fn known(entry: &Value) -> &'static Known {
    let name = text(&entry["metric"]);
    KNOWN.iter().find(|known| known.name == name).unwrap_or_else(|| panic!("{name} is not KNOWN"))
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn entries() -> Vec<Value> {
    let index = std::fs::read_to_string(directory().join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    index["entries"].as_array().unwrap().clone()
}

/// The table of an entry: from its files, or made from its formula.
fn input(entry: &Value) -> Representation<'static> {
    if entry.get("codes_file").is_none() {
        return grid(entry);
    }
    let read = |key: &str| read_npy(directory().join(text(&entry[key]))).unwrap();
    Representation::from_arrays(read("codes_file"), read("factors_file")).unwrap()
}

/// Every combination of factor values once, the codes by the formula.
fn grid(entry: &Value) -> Representation<'static> {
    let sizes = numbers(&entry["factor_sizes"]);
    let formula = formula(text(&entry["representation"]));
    let rows = sizes.iter().product::<f64>() as usize;
    let (mut codes, mut values) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut rest = row;
        let mut combination: Vec<f64> = sizes
            .iter()
            .rev()
            .map(|&size| {
                let value = rest % size as usize;
                rest /= size as usize;
                value as f64
            })
            .collect();
        combination.reverse();
        codes.extend(formula(&combination, &sizes).into_iter().map(|code| code as f32));
        values.extend(combination.into_iter().map(|value| value as f32));
    }
    let factor = |(k, &size): (usize, &f64)| {
        Factor::discrete(format!("factor-{k}"), (0..size as usize).map(|value| value as f32))
    };
    Representation::new(
        Array2::from_shape_vec((rows, codes.len() / rows), codes).unwrap(),
        Array2::from_shape_vec((rows, sizes.len()), values).unwrap(),
        sizes.iter().enumerate().map(factor).collect(),
    )
    .unwrap()
}

/// u_j: from 0 to 1.
fn unit(f: &[f64], n: &[f64]) -> Vec<f64> {
    f.iter().zip(n).map(|(f, n)| f / (n - 1.0)).collect()
}

/// s_j: mean 0 and standard deviation 1.
fn standard(f: &[f64], n: &[f64]) -> Vec<f64> {
    let s = |(f, n): (&f64, &f64)| (f - (n - 1.0) / 2.0) / ((n * n - 1.0) / 12.0).sqrt();
    f.iter().zip(n).map(s).collect()
}

type Formula = fn(&[f64], &[f64]) -> Vec<f64>;

/// Codes from factor values f and sizes n, by the words of the index.
fn formula(words: &str) -> Formula {
    match words {
        "z_j = 1.0 * f_j/(n_j-1)" => unit,
        "z_k = (k+1) * s_{F-1-k}; s_j=(f_j-(n_j-1)/2)/sqrt((n_j^2-1)/12)" => |f, n| {
            let s = standard(f, n);
            s.iter().rev().enumerate().map(|(k, s)| (k + 1) as f64 * s).collect()
        },
        "z = (I-2vv^T) s, v=ones/sqrt(F), s standardised as above" => |f, n| {
            let s = standard(f, n);
            let mean = s.iter().sum::<f64>() / s.len() as f64;
            s.iter().map(|s| s - 2.0 * mean).collect()
        },
        "z = s without factor index 1" => |f, n| {
            let mut s = standard(f, n);
            s.remove(1);
            s
        },
        "z = [s, -2 s_0]" => |f, n| {
            let mut s = standard(f, n);
            s.push(-2.0 * s[0]);
            s
        },
        "z=[u3,u4,u1,cos(2pi f2/40),sin(2pi f2/40),u0,0 (dead),0.01*u3 (std<0.05: pruned)], \
         u_j=f_j/(n_j-1)" => |f, n| {
            let u = unit(f, n);
            let angle = std::f64::consts::TAU * f[2] / 40.0;
            vec![u[3], u[4], u[1], angle.cos(), angle.sin(), u[0], 0.0, 0.01 * u[3]]
        },
        "one latent: z = sum_j s_j" => |f, n| vec![standard(f, n).iter().sum()],
        "three constant-zero latents" => |_, _| vec![0.0; 3],
        "z=s except z_0=(s_0+s_1)/sqrt2, z_1=(s_0-s_1)/sqrt2" => |f, n| {
            let mut s = standard(f, n);
            (s[0], s[1]) = ((s[0] + s[1]) / 2f64.sqrt(), (s[0] - s[1]) / 2f64.sqrt());
            s
        },
        "z_j = s_j + 0.8 * s_{(j+1) mod F}" => |f, n| {
            let s = standard(f, n);
            (0..s.len()).map(|j| s[j] + 0.8 * s[(j + 1) % s.len()]).collect()
        },
        other => panic!("no formula for `{other}`"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} should be a string"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} should be a number"))
}

fn whole(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} should be a whole number")) as usize
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} should be a list"))
        .iter()
        .map(number)
        .collect()
}
