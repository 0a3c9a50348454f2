//! The information of each code about each factor, as a share of the factor's entropy, and the
//! largest share of each.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::{Codes, InfoMec, standardised};
use crate::error::Result;
use crate::representation::{Representation, ranks_of_values};
use crate::rng::Rng;
use crate::stats::information::{entropy, mutual_information};
use crate::stats::is_constant;
use crate::stats::neighbours::{Classes, Scattered};

/// How many neighbours are looked at.
const NEIGHBOURS: usize = 10;

/// A code, ready to be asked about factors.
enum Code {
    /// It never changes.
    Still,
    Number(Scattered),
    Label(Vec<u32>),
}

/// N = I(z_j; v_k) / H(v_k), `[codes, factors]`. The entropy is that of all rows, and the share of a
/// factor that never changes is 0.
pub(super) fn normalised_information(
    metric: InfoMec,
    table: &Representation,
    labels: &[Vec<u32>],
    rng: &Rng,
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Array2<f64>> {
    let rng = rng.split("equal codes");
    let classes: Vec<Classes> = labels.iter().map(|column| Classes::new(column)).collect();
    let entropies: Vec<f64> = labels.iter().map(|column| entropy(column)).collect();
    let codes: Vec<ArrayView1<f32>> = table.codes.columns().into_iter().collect();
    let share = 1.0 / (codes.len() * labels.len()) as f64;
    let row = |column: &ArrayView1<f32>| {
        let code = match (is_constant(*column), metric.codes) {
            (true, _) => Code::Still,
            (_, Codes::Continuous) => Code::Number(Scattered::new(&standardised(*column), &rng)),
            (_, Codes::Discrete) => Code::Label(ranks_of_values(&column.to_vec())),
        };
        let entry = |k: usize| {
            let information = match &code {
                _ if entropies[k] == 0.0 => 0.0,
                Code::Still => 0.0,
                Code::Number(numbers) => classes[k].strict_information(numbers, NEIGHBOURS),
                Code::Label(own) => mutual_information(own, &labels[k]),
            };
            advance(share)?;
            Ok(if information == 0.0 { 0.0 } else { information / entropies[k] })
        };
        (0..labels.len()).into_par_iter().map(entry).collect::<Result<Vec<f64>>>()
    };
    let rows = codes.par_iter().map(row).collect::<Result<Vec<_>>>()?;
    Ok(Array2::from_shape_fn((rows.len(), labels.len()), |(j, k)| rows[j][k]))
}

/// The largest share of each row in its sum; rows without information have none.
pub(super) fn informed(information: ArrayView2<f64>) -> Vec<f64> {
    let share = |row: ArrayView1<f64>| {
        let sum = row.sum();
        (sum > 0.0).then(|| row.iter().copied().fold(0.0, f64::max) / sum)
    };
    information.rows().into_iter().filter_map(share).collect()
}
