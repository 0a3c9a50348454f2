//! Ridge regression on random waves of the inputs: a quick curve through many rows, without steps that could go wrong.
//!
//! ```text
//! φ(x) = [1, x, cos(x Ω + b)],   Ω normal, b uniform      β = (ΦᵀΦ + λ n I)⁻¹ Φᵀ Y      ŷ = φ(x) β
//! ```

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use ndarray::{Array2, ArrayView2};

use crate::rng::Rng;

/// How many waves.
const WAVES: usize = 64;
/// λ
const RIDGE: f64 = 1e-4;

/// What rows `asked` `[rows, inputs]` should have, after `known` with `wanted` `[rows, outputs]`. Inputs have mean 0 and
/// variance 1.
pub fn predict(
    known: ArrayView2<f32>,
    wanted: ArrayView2<f32>,
    asked: ArrayView2<f32>,
) -> Array2<f32> {
    let waves = Waves::new(known.ncols());
    ridge(&waves.of(known), wanted, &waves.of(asked))
}

/// Ω and b.
struct Waves {
    frequencies: Array2<f32>,
    phases: Vec<f32>,
}

impl Waves {
    /// Fixed for each number of inputs: a curve over the steps must not jump by their luck.
    fn new(inputs: usize) -> Self {
        let mut rng = Rng::new(inputs as u64).split("waves");
        let frequencies = Array2::from_shape_simple_fn((inputs, WAVES), || rng.normal());
        let phases = (0..WAVES).map(|_| (rng.uniform() * std::f64::consts::TAU) as f32).collect();
        Self { frequencies, phases }
    }

    /// φ of each row, `[rows, 1 + inputs + waves]`.
    fn of(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let waves = x.dot(&self.frequencies);
        let inputs = x.ncols();
        Array2::from_shape_fn((x.nrows(), 1 + inputs + WAVES), |(row, k)| match k {
            0 => 1.0,
            k if k <= inputs => x[[row, k - 1]],
            k => (waves[[row, k - 1 - inputs]] + self.phases[k - 1 - inputs]).cos(),
        })
    }
}

/// Answers for `asked` of the regression of `wanted` on `known`; zeros if even the ridge leaves it singular.
fn ridge(known: &Array2<f32>, wanted: ArrayView2<f32>, asked: &Array2<f32>) -> Array2<f32> {
    let (left, right) = (known.t().dot(known), known.t().dot(&wanted));
    let (size, outputs) = right.dim();
    let price = RIDGE * known.nrows() as f64;
    let left =
        Mat::from_fn(size, size, |i, j| f64::from(left[[i, j]]) + if i == j { price } else { 0.0 });
    let right = Mat::from_fn(size, outputs, |i, j| f64::from(right[[i, j]]));
    let Ok(factor) = left.llt(Side::Lower) else {
        return Array2::zeros((asked.nrows(), outputs));
    };
    let solved = factor.solve(&right);
    asked.dot(&Array2::from_shape_fn((size, outputs), |(i, j)| solved[(i, j)] as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_followed_on_rows_that_were_not_shown() {
        let mut rng = Rng::new(1);
        let x = Array2::from_shape_simple_fn((900, 2), || rng.normal());
        let y = Array2::from_shape_fn((900, 1), |(row, _)| (2.0 * x[[row, 0]]).sin() * x[[row, 1]]);
        let [(known, asked), (wanted, truth)] =
            [&x, &y].map(|all| all.view().split_at(ndarray::Axis(0), 600));
        let off = &predict(known, wanted, asked) - &truth;
        let error = off.mapv(|off| off * off).sum() / truth.mapv(|y| y * y).sum();
        assert!(error < 0.1, "{error}");
    }
}
