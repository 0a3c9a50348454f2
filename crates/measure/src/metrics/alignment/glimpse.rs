//! A quick look at an alignment, while a model learns: the same sets of codes and the same R², but instead of a
//! network a ridge regression on random waves of the codes of a set,
//!
//! ```text
//! φ(z) = [1, z, cos(z Ω + b)],   Ω normal, b uniform      β = (ΦᵀΦ + λ n I)⁻¹ Φᵀ V
//! ```
//!
//! which takes milliseconds and has no steps that could go wrong.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use ndarray::{Array2, ArrayView2, Axis};

use super::heads::{Head, heads};
use super::sets::{Sets, targets};
use super::{Alignment, Rows, r2_alone};
use crate::error::Result;
use crate::representation::Representation;
use crate::rng::Rng;

/// Waves of a set.
const WAVES: usize = 64;
/// λ
const RIDGE: f64 = 1e-4;

/// R² of each factor that the method was to find from its own set of codes, by the number of the factor; 0 where
/// the set is empty. Factors that do not change are left out.
pub fn glimpse(representation: &Representation) -> Result<Vec<(usize, f64)>> {
    let (train, test) = representation.split()?;
    let heads = heads(&train, &test)?;
    let targets = targets(representation, &heads)?;
    let codes: Vec<usize> = (0..representation.codes.ncols()).collect();
    let [train, test] = [&train, &test].map(|rows| Rows::new(rows, &train, &codes, &heads));
    let sets = match &representation.readings.blocks {
        Some(blocks) => Sets::given(blocks, representation.factors.len(), &codes, &heads)?,
        None => Sets::chosen(&r2_alone(&train, &test, &heads), Alignment::BOUNDED.relative),
    };
    let asked = |k: usize| targets.as_ref().is_none_or(|targets| targets[k]);
    let found = |(k, head): (usize, &Head)| (head.factor, r2(head, &sets.own[k], &train, &test));
    Ok(heads.iter().enumerate().filter(|(k, _)| asked(*k)).map(found).collect())
}

/// R² of a factor from a set of codes.
fn r2(head: &Head, set: &[usize], train: &Rows, test: &Rows) -> f64 {
    if set.is_empty() {
        return 0.0;
    }
    let waves = Waves::new(set.len());
    let [known, asked] = [train, test].map(|rows| waves.of(rows.codes.select(Axis(1), set).view()));
    let answers = ridge(&known, &train.wanted, &asked);
    head.r2(answers.view(), test.wanted.view())
}

/// Ω and b.
struct Waves {
    frequencies: Array2<f32>,
    phases: Vec<f32>,
}

impl Waves {
    /// The same for every set of this size: a curve over the steps must not jump by their luck.
    fn new(codes: usize) -> Self {
        let mut rng = Rng::new(codes as u64).split("waves");
        let frequencies = Array2::from_shape_simple_fn((codes, WAVES), || rng.normal());
        let phases = (0..WAVES).map(|_| (rng.uniform() * std::f64::consts::TAU) as f32).collect();
        Self { frequencies, phases }
    }

    /// φ of each row, `[rows, 1 + codes + waves]`.
    fn of(&self, z: ArrayView2<f32>) -> Array2<f32> {
        let waves = z.dot(&self.frequencies);
        let codes = z.ncols();
        Array2::from_shape_fn((z.nrows(), 1 + codes + WAVES), |(row, k)| match k {
            0 => 1.0,
            k if k <= codes => z[[row, k - 1]],
            k => (waves[[row, k - 1 - codes]] + self.phases[k - 1 - codes]).cos(),
        })
    }
}

/// Answers for `asked` of the regression of `wanted` on `known`; zeros if even the ridge leaves it singular.
fn ridge(known: &Array2<f32>, wanted: &Array2<f32>, asked: &Array2<f32>) -> Array2<f32> {
    let (left, right) = (known.t().dot(known), known.t().dot(wanted));
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
    use ndarray::Array2;

    use super::*;
    use crate::factors::{Factor, Kind};

    /// An angle and a number, and codes: sine and cosine of the angle, the number bent, and noise.
    fn table(blocks: Option<Vec<Option<usize>>>) -> Representation<'static> {
        let mut rng = Rng::new(3);
        let values = Array2::from_shape_fn((1500, 2), |(_, k)| match k {
            0 => (rng.uniform() * std::f64::consts::TAU) as f32,
            _ => rng.uniform() as f32,
        });
        let codes = Array2::from_shape_fn((1500, 4), |(row, k)| match k {
            0 => values[[row, 0]].sin(),
            1 => values[[row, 0]].cos(),
            2 => (3.0 * values[[row, 1]]).exp(),
            _ => rng.normal(),
        });
        let kinds = [("angle", Kind::Angle), ("number", Kind::Continuous)];
        let factors = kinds.map(|(name, kind)| Factor { name: name.into(), kind }).to_vec();
        let mut table = Representation::new(codes, values, factors).unwrap();
        table.readings.blocks = blocks;
        table
    }

    #[test]
    fn what_a_set_holds_is_seen_and_what_it_does_not_is_not() {
        let right = vec![Some(0), Some(0), Some(1), None];
        for blocks in [None, Some(right)] {
            let found = glimpse(&table(blocks)).unwrap();
            assert!(found.iter().all(|(_, r2)| *r2 > 0.98), "{found:?}");
        }
        let wrong = vec![Some(1), Some(1), None, Some(0)];
        let found = glimpse(&table(Some(wrong))).unwrap();
        assert!(found.iter().all(|(_, r2)| *r2 < 0.1), "{found:?}");
        let none = glimpse(&table(Some(vec![None; 4]))).unwrap();
        assert_eq!(none, [(0, 0.0), (1, 0.0)]);
    }
}
