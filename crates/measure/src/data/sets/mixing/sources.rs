//! Non-stationary sources: noise of unit variance, times a standard deviation and plus a mean that
//! are constant in a segment.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_2};

use ndarray::Array2;

use super::choices::{Generator, Prior, Settings};
use crate::rng::Rng;

/// What a segment does to its noise, `[segments, sources]` each.
pub(super) struct Modulation {
    /// Standard deviations; iVAE calls their bounds `var_bounds`, but multiplies by them.
    pub(super) spread: Array2<f64>,
    pub(super) mean: Array2<f64>,
}

impl Modulation {
    pub(super) fn draw(settings: &Settings, rng: &Rng) -> Self {
        let size = (settings.segments, settings.sources);
        let table = |purpose: &str, from: f64, to: f64| {
            let mut rng = rng.split(purpose);
            Array2::from_shape_simple_fn(size, || from + (to - from) * rng.uniform())
        };
        let spread = match settings.generator {
            Generator::Ivae => table("spread", 0.5, 3.0),
            Generator::Tcl => table("spread", 0.0, 1.0),
        };
        let mut mean = match (settings.uncentered, settings.staircase) {
            (false, _) => Array2::zeros(size),
            (true, false) => table("mean", -5.0, 5.0),
            (true, true) => table("mean", -1.0, 1.0),
        };
        if settings.staircase {
            let order = rng.split("stairs").permutation(settings.segments);
            for (mean, step) in mean.column_mut(0).iter_mut().zip(order) {
                *mean = 3.0 * step as f64;
            }
        }
        Self { spread, mean }
    }

    /// The sources of one segment, `[points, sources]`.
    pub(super) fn fill(&self, segment: usize, prior: Prior, rng: &mut Rng, out: &mut [f32]) {
        let (spread, mean) = (self.spread.row(segment), self.mean.row(segment));
        for row in out.chunks_exact_mut(spread.len()) {
            for (k, source) in row.iter_mut().enumerate() {
                *source = (spread[k] * noise(prior, rng) + mean[k]) as f32;
            }
        }
    }
}

/// One draw of unit variance.
fn noise(prior: Prior, rng: &mut Rng) -> f64 {
    match prior {
        // Quantile of exp(-√2 |x|) / √2: ±ln(1 - |2u - 1|) / √2, for both signs never ln 0.
        Prior::Laplace => match 2.0 * rng.uniform() {
            below if below < 1.0 => FRAC_1_SQRT_2 * (1.0 - below).ln(),
            above => -FRAC_1_SQRT_2 * (2.0 - above).ln(),
        },
        // Quantile of sech(πx/2) / 2: ln(tan(πu/2)) 2/π, of u above 0.
        Prior::HyperbolicSecant => FRAC_2_PI * (FRAC_PI_2 * (1.0 - rng.uniform())).tan().ln(),
        Prior::Gaussian | Prior::Auto => f64::from(rng.normal()),
    }
}
