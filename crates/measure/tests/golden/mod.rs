//! Reading the golden set: its entries, and the table each entry is about.

use std::path::PathBuf;

use ndarray::Array2;
use serde_json::Value;
use unbraid_measure::factors::Factor;
use unbraid_measure::npz::{Array, read_npy};
use unbraid_measure::representation::{Representation, Sibling, Split};

pub(crate) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

pub(crate) fn entries() -> Vec<Value> {
    let index = std::fs::read_to_string(directory().join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    index["entries"].as_array().unwrap().clone()
}

/// The table of an entry, with the rows and bins of its parameters.
pub(crate) fn input(entry: &Value) -> Representation<'static> {
    let params = &entry["params"];
    let mut table = table(entry);
    if params["rows"] == "first 500" {
        table = table.select(&(0..500).collect::<Vec<_>>());
    }
    if let Some(bins) = params.get("num_bins") {
        table.protocol.bins = whole(bins);
    }
    if let Some(train) = params.get("n_train") {
        let train = whole(train);
        let test = params.get("n_test").map_or(table.rows() - train, whole);
        table.protocol.split = Split::Ends { train, test };
    }
    table
}

/// From the files of an entry, or made from its formula.
fn table(entry: &Value) -> Representation<'static> {
    let read = |file: &Value| read_npy(directory().join(text(file))).unwrap();
    if entry.get("codes_file").is_some() {
        let (codes, factors) = (read(&entry["codes_file"]), read(&entry["factors_file"]));
        return Representation::from_arrays(codes, factors).unwrap();
    }
    match entry["params"]["codes_files"].as_array() {
        Some(files) => models(files.iter().map(read), read(&entry["params"]["kl_file"])),
        None => grid(entry),
    }
}

/// Several models of the same rows: the first, with the others as siblings.
fn models(codes: impl Iterator<Item = Array>, kl: Array) -> Representation<'static> {
    let codes = codes.map(|codes| {
        let shape = (codes.shape[0], codes.shape[1]);
        Array2::from_shape_vec(shape, codes.into_floats()).unwrap()
    });
    let kl: Vec<Vec<f64>> = {
        let latents = kl.shape[1];
        let rows = kl.into_floats();
        rows.chunks(latents).map(|row| row.iter().map(|kl| f64::from(*kl)).collect()).collect()
    };
    let mut all = codes.zip(kl).map(|(codes, kl)| Sibling { codes, kl: Some(kl) });
    let this = all.next().unwrap();
    let nothing = Array2::zeros((this.codes.nrows(), 0));
    let mut table = Representation::new(this.codes, nothing, Vec::new()).unwrap();
    table.readings.kl = this.kl;
    table.readings.siblings = all.collect();
    table
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

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} should be a string"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} should be a number"))
}

pub(crate) fn whole(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} should be a whole number")) as usize
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} should be a list"))
        .iter()
        .map(number)
        .collect()
}
