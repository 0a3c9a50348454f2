//! A column in the order of its values.

use ndarray::ArrayView1;

/// A sorted column and where its values came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted {
    /// From the smallest to the largest; -0 has become 0.
    pub values: Vec<f32>,
    /// The row of each; equal values are in the order of their rows.
    pub rows: Vec<u32>,
}

/// Sort a column of numbers.
pub fn sorted(column: ArrayView1<f32>) -> Sorted {
    assert!(u32::try_from(column.len()).is_ok(), "rows are numbered by 32 bits");
    // Value and row in one whole number: comparing needs no look at the column, which makes sorting
    // several times as fast.
    let pack = |(row, &value): (usize, &f32)| u64::from(rising(value)) << 32 | row as u64;
    let mut packed: Vec<u64> = column.iter().enumerate().map(pack).collect();
    packed.sort_unstable();
    Sorted {
        values: packed.iter().map(|pair| falling((pair >> 32) as u32)).collect(),
        rows: packed.iter().map(|pair| *pair as u32).collect(),
    }
}

/// The different values of a column, rising.
pub fn different(column: ArrayView1<f32>) -> Vec<f32> {
    let mut values = sorted(column).values;
    values.dedup();
    values
}

const SIGN: u32 = 1 << 31;

/// A whole number that rises with the value. The bits of a float do so but for the sign: negative
/// ones fall, and come after the positive ones.
fn rising(value: f32) -> u32 {
    // Adding zero turns -0 into 0, its equal.
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The value of a whole number made by [`rising`].
fn falling(key: u32) -> f32 {
    f32::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::{Array1, array};

    #[test]
    fn signs_and_zeros_are_in_order_and_equals_keep_theirs() {
        let column = array![2.0, -1e-40, 0.0, -3.0, -0.0, f32::MAX, 2.0, -1e30];
        let sorted = sorted(column.view());
        assert_eq!(sorted.values, [-1e30, -3.0, -1e-40, 0.0, 0.0, 2.0, 2.0, f32::MAX]);
        assert_eq!(sorted.rows, [7, 3, 1, 2, 4, 0, 6, 5]);
    }

    #[test]
    fn it_agrees_with_a_sort_by_comparing() {
        let mut rng = Rng::new(0);
        let column = Array1::from_shape_simple_fn(1000, || (rng.normal() * 20.0).round() / 7.0);
        let mut rows: Vec<u32> = (0..1000).collect();
        rows.sort_by(|&i, &j| column[i as usize].partial_cmp(&column[j as usize]).unwrap());
        let sorted = sorted(column.view());
        assert_eq!(sorted.rows, rows);
        assert!(rows.iter().zip(&sorted.values).all(|(&row, v)| column[row as usize] == *v));
    }
}
