//! What the encoders of the grid make of the factors: perfect codes, codes bent, mixed, left out, repeated or split, and
//! noise. What is true of each is known, so it is known what a metric should say.

use ndarray::{Array2, Axis};

use crate::metrics::Asks::{self, Compact, Informative, Linear, Matched, Modular};
use crate::rng::Rng;

/// An encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoder {
    /// E1: each factor, scaled, in another order.
    Perfect,
    /// E2: each factor, bent by a rising function, in another order.
    Bent,
    /// E3: a dense linear mixture.
    Dense,
    /// E4: as E1 without the first factor.
    Missing,
    /// E5: as E1, with one factor twice.
    Repeated,
    /// E6: as E2, with one factor twice.
    RepeatedBent,
    /// E7: twice as many codes, all dense mixtures.
    DenseWide,
    /// E8: each factor as its sine and its cosine.
    Split,
    /// E9: normal noise.
    Noise,
    /// E10: uniform noise.
    UniformNoise,
}

/// The largest singular value of a mixture over its smallest.
const CONDITION: f64 = 10.0;

impl Encoder {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Perfect,
        Self::Bent,
        Self::Dense,
        Self::Missing,
        Self::Repeated,
        Self::RepeatedBent,
        Self::DenseWide,
        Self::Split,
        Self::Noise,
        Self::UniformNoise,
    ];

    /// As the paper calls it.
    pub fn code(self) -> &'static str {
        ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10"][self as usize]
    }

    /// In words.
    pub fn name(self) -> &'static str {
        [
            "perfect",
            "bent",
            "dense",
            "one missing",
            "one repeated",
            "repeated, bent",
            "dense, wide",
            "split in two",
            "noise",
            "uniform noise",
        ][self as usize]
    }

    /// What is true of its codes, by construction.
    pub fn truth(self) -> &'static [Asks] {
        match self {
            Self::Perfect => &[Modular, Compact, Informative, Linear, Matched],
            Self::Bent => &[Modular, Compact, Informative, Matched],
            Self::Dense | Self::DenseWide => &[Informative, Linear],
            Self::Missing => &[Modular, Compact],
            Self::Repeated => &[Modular, Informative, Linear, Matched],
            Self::RepeatedBent => &[Modular, Informative, Matched],
            Self::Split => &[Modular, Informative],
            Self::Noise | Self::UniformNoise => &[],
        }
    }

    /// Whether its codes know nothing.
    pub fn is_noise(self) -> bool {
        matches!(self, Self::Noise | Self::UniformNoise)
    }

    /// Codes of these values, `[rows, codes]`.
    pub fn encode(self, values: &Array2<f32>, rng: &Rng) -> Array2<f32> {
        let mut rng = rng.split("encoder");
        let (rows, factors) = values.dim();
        let order = rng.permutation(factors);
        match self {
            Self::Perfect => scaled(values, &order, &mut rng),
            Self::Bent => bent(values, &order),
            Self::Dense => mixed(values, factors, &rng),
            Self::Missing => {
                let kept: Vec<usize> = order.into_iter().filter(|k| *k > 0).collect();
                scaled(values, &kept, &mut rng)
            }
            Self::Repeated => {
                let repeated = [order, vec![rng.below(factors)]].concat();
                scaled(values, &repeated, &mut rng)
            }
            Self::RepeatedBent => bent(values, &[order, vec![rng.below(factors)]].concat()),
            Self::DenseWide => mixed(values, 2 * factors, &rng),
            Self::Split => {
                let halves = [values.mapv(f32::sin), values.mapv(f32::cos)];
                ndarray::concatenate(Axis(1), &halves.each_ref().map(|half| half.view()))
                    .expect("as many rows each")
            }
            Self::Noise => Array2::from_shape_simple_fn((rows, factors), || rng.normal()),
            Self::UniformNoise => {
                Array2::from_shape_simple_fn((rows, factors), || 2.0 * rng.uniform() as f32 - 1.0)
            }
        }
    }
}

/// Columns by number, each times a number between a half and two, of either sign.
fn scaled(values: &Array2<f32>, columns: &[usize], rng: &mut Rng) -> Array2<f32> {
    let mut codes = values.select(Axis(1), columns);
    for mut column in codes.columns_mut() {
        let size = 0.5 + 1.5 * rng.uniform() as f32;
        let sign = if rng.below(2) == 0 { size } else { -size };
        column.mapv_inplace(|value| sign * value);
    }
    codes
}

/// Columns by number, each through a rising function of its own. Those of the paper are among them, but for the
/// hyperbolic sine of a cube, whose codes no single precision holds.
fn bent(values: &Array2<f32>, columns: &[usize]) -> Array2<f32> {
    const FUNCTIONS: [fn(f32) -> f32; 5] = [
        |x| (2.0 * x).tanh(),
        |x| x.powi(3),
        |x| x.signum() * x.abs().sqrt(),
        |x| x.exp(),
        |x| x.signum() * (3.0 * x.abs()).ln_1p(),
    ];
    let mut codes = values.select(Axis(1), columns);
    for (j, mut column) in codes.columns_mut().into_iter().enumerate() {
        column.mapv_inplace(FUNCTIONS[j % FUNCTIONS.len()]);
    }
    codes
}

/// Z A with singular values from 1 down to 1 / [`CONDITION`].
fn mixed(values: &Array2<f32>, codes: usize, rng: &Rng) -> Array2<f32> {
    let factors = values.ncols();
    let (left, right) =
        (orthogonal(factors, &rng.split("left")), orthogonal(codes, &rng.split("right")));
    let last = (factors - 1).max(1) as f64;
    let singular = |k: usize| 1.0 - (1.0 - 1.0 / CONDITION) * k as f64 / last;
    let mixing = Array2::from_shape_fn((factors, codes), |(k, j)| {
        (0..factors).map(|s| left[[k, s]] * singular(s) * right[[s, j]]).sum::<f64>() as f32
    });
    values.dot(&mixing)
}

/// Rows of length one at right angles to each other, in random directions (Gram and Schmidt).
fn orthogonal(size: usize, rng: &Rng) -> Array2<f64> {
    let mut rng = rng.clone();
    let mut rows = Array2::from_shape_simple_fn((size, size), || f64::from(rng.normal()));
    for k in 0..size {
        for earlier in 0..k {
            let along = rows.row(k).dot(&rows.row(earlier));
            let earlier = rows.row(earlier).to_owned();
            rows.row_mut(k).scaled_add(-along, &earlier);
        }
        let length = rows.row(k).dot(&rows.row(k)).sqrt();
        rows.row_mut(k).mapv_inplace(|number| number / length);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stress::Law;

    #[test]
    fn codes_have_their_number_and_their_truth() {
        let values = Law::Independent.draw(500, 5, &Rng::new(0));
        let widths = [5, 5, 5, 4, 6, 6, 10, 10, 5, 5];
        for (encoder, width) in Encoder::ALL.into_iter().zip(widths) {
            let codes = encoder.encode(&values, &Rng::new(1));
            assert_eq!(codes.dim(), (500, width), "{encoder:?}");
            assert!(codes.iter().all(|code| code.is_finite()), "{encoder:?}");
        }
        let dense = Encoder::Dense.encode(&values, &Rng::new(1));
        assert!(dense.columns().into_iter().all(|code| code.iter().any(|c| c.abs() > 0.05)));
    }
}
