//! InfoE: how much of a factor a linear classifier tells from all codes together, on the rows that
//! it was fitted to.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use rayon::prelude::*;

use super::{Codes, InfoMec, Rules, standardised};
use crate::error::Result;
use crate::predictors::logistic::Logistic;
use crate::representation::Representation;
use crate::stats::classes::Classes;
use crate::stats::column_order::in_order_of_columns;
use crate::stats::order::different;

/// (H0 - H1) / H0 of each factor; `None` for one that never changes.
pub(super) fn explicitness(
    metric: InfoMec,
    table: &Representation,
    labels: &[Vec<u32>],
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Vec<Option<f64>>> {
    let inputs = inputs(table, metric.codes);
    let rows: Vec<usize> = (0..table.rows()).collect();
    let of_factor = |column: &Vec<u32>| {
        let classes = Classes::new(column, &rows);
        advance(1.0 / labels.len() as f64)?;
        if classes.count() < 2 {
            return Ok(None);
        }
        let penalty = metric.rules.penalty();
        let model =
            Logistic::fit_balanced(inputs.view(), &classes.labels, classes.count(), penalty);
        let blind = metric.rules.blind_loss(column, classes.count());
        let told = (blind - model.loss(inputs.view(), &classes.labels)) / blind;
        Ok(Some(if metric.rules == Rules::Guard { told.clamp(0.0, 1.0) } else { told }))
    };
    labels.par_iter().map(of_factor).collect()
}

/// What the classifier sees: standardised numbers, or a one for the value that a code has.
fn inputs(table: &Representation, codes: Codes) -> Array2<f64> {
    let ordered = in_order_of_columns(table.codes.view());
    let columns = ordered.columns().into_iter();
    let parts: Vec<Array1<f64>> = match codes {
        Codes::Continuous => columns.map(|column| Array1::from(standardised(column))).collect(),
        Codes::Discrete => columns.flat_map(one_hot).collect(),
    };
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    ndarray::stack(Axis(1), &views).expect("all columns have a number for each row")
}

fn one_hot(column: ArrayView1<f32>) -> Vec<Array1<f64>> {
    let is = |value: f32| column.mapv(|other| f64::from(u8::from(other == value)));
    different(column).into_iter().map(is).collect()
}
