//! A table for tests.

use ndarray::Array2;

use super::Representation;
use crate::factors::Factor;

/// Every combination of factors `a`, `b`, … with values 0, 1, … up to these sizes, the last
/// changing fastest, all of it so many times over; and a code made of them.
pub(crate) fn grid<const K: usize>(
    sizes: [usize; K],
    times: usize,
    code: impl Fn([f32; K]) -> Vec<f32>,
) -> Representation<'static> {
    let rows = times * sizes.iter().product::<usize>();
    let value =
        |row: usize, k: usize| (row / sizes[k + 1..].iter().product::<usize>() % sizes[k]) as f32;
    let values = Array2::from_shape_fn((rows, K), |(row, k)| value(row, k));
    let codes: Vec<Vec<f32>> =
        (0..rows).map(|row| code(std::array::from_fn(|k| value(row, k)))).collect();
    let codes = Array2::from_shape_fn((rows, codes[0].len()), |(row, j)| codes[row][j]);
    let factor = |(name, size): (char, usize)| {
        Factor::discrete(name.to_string(), (0..size).map(|value| value as f32))
    };
    Representation::new(codes, values, ('a'..).zip(sizes).map(factor).collect()).unwrap()
}
