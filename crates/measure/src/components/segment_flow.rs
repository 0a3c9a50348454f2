//! A flow for sources whose strength changes from segment to segment: nonlinear ICA by exact
//! likelihood. Each source is Gaussian (or Laplace) with a scale of its own in every segment, and
//! what is observed is an invertible function of the sources. The inverse of that function is
//!
//! ```text
//! h_0 = whitened x,   y_k = h_{k-1} W_k + b_k,   h_k = ψ⁻¹(y_k),   s = y_L,   ψ(h) = tanh h + ρ h
//! ```
//!
//! so that the function itself is a network of L layers with the activation ψ. Per row,
//!
//! ```text
//! -log p(x|u) = Σ_i log scale_ui  -  Σ_k log|det W_k|  +  Σ_k Σ_i log ψ'(h_ki)  +  constants
//! ```
//!
//! where scale_ui is the best scale of source i in segment u given the rest: the root of the mean
//! square (Gaussian) or the mean size (Laplace). With the scales gone there are a few hundred
//! numbers to learn, by L-BFGS from several random starts; the best by this objective is kept.
//! No bound and no noise in the gradient: where an iVAE ends in a poor optimum, this seldom does.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::components::pca::Pca;
use crate::error::{Error, Result};
use crate::predictors::lbfgs::{self, Stop};
use crate::rng::Rng;
use crate::settings::words;
use crate::watch::Stage;

mod bend;
mod layers;
mod matrices;

pub use layers::Layers;

words! {
    /// The family of a source within a segment.
    pub enum Prior {
        /// Normal.
        Gaussian = "gaussian",
        /// Double exponential.
        Laplace = "laplace",
    }
}

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many sources; at most as many as numbers are observed.
    pub sources: usize,
    /// How many layers.
    pub layers: usize,
    /// How many random starts.
    pub starts: usize,
    /// Steps from each start, on a few points of each segment.
    pub steps: usize,
    /// How many points of each segment a start sees.
    pub points: usize,
    /// Steps on all points, from the best.
    pub refinement: usize,
    /// The family of the sources.
    pub prior: Prior,
}

/// A fitted flow.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentFlow {
    /// The mean observation, `[numbers]`.
    pub mean: Vec<f32>,
    /// `[sources, numbers]`: times a centred observation, a whitened one.
    pub whitening: Array2<f32>,
    /// `[sources, numbers]`: what one unit of each whitened number adds to an observation.
    pub unwhitening: Array2<f32>,
    /// From whitened observations to sources.
    pub layers: Layers,
    /// -log p(x|u) per row, without constants.
    pub objective: f64,
}

impl SegmentFlow {
    /// Find the sources of observations `[rows, numbers]`, of which each is in a segment.
    pub fn fit(
        x: ArrayView2<f32>,
        segments: &[usize],
        options: Options,
        rng: &Rng,
        watch: &Stage,
    ) -> Result<Self> {
        let (mean, whitening, unwhitening) = whiten(x, options.sources, rng)?;
        let white = (&x - &ArrayView1::from(&mean)).dot(&whitening.t());
        let all = Segments::new(&white, segments, usize::MAX)?;
        let few = Segments::new(&white, segments, options.points)?;
        let work = (options.starts + 1) as f64;
        let mut best: Option<(f64, Layers)> = None;
        for start in 0..options.starts {
            watch.advance(start as f64 / work)?;
            let mut rng = rng.split("start").at(start as u64);
            let mut layers = Layers::random(options.layers, options.sources, &mut rng);
            few.minimise(&mut layers, options.prior, options.steps);
            let objective = all.objective(&layers, options.prior);
            if objective.is_finite() && best.as_ref().is_none_or(|(least, _)| objective < *least) {
                best = Some((objective, layers));
            }
        }
        let (_, mut layers) = best.ok_or_else(|| {
            let reason = "no start of the flow led anywhere: are the observations finite?";
            Error::Array(reason.into())
        })?;
        watch.advance(options.starts as f64 / work)?;
        all.minimise(&mut layers, options.prior, options.refinement);
        let objective = all.objective(&layers, options.prior);
        Ok(Self { mean, whitening, unwhitening, layers, objective })
    }

    /// The sources of observations, `[rows, numbers]` to `[rows, sources]`.
    pub fn encode(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let white = (&x - &ArrayView1::from(&self.mean)).dot(&self.whitening.t());
        by_unit(white.view(), |white| self.layers.sources(white))
    }

    /// Observations with these sources, `[rows, sources]` to `[rows, numbers]`.
    pub fn decode(&self, sources: ArrayView2<f32>) -> Array2<f32> {
        let white = by_unit(sources, |sources| self.layers.observed(sources));
        white.dot(&self.unwhitening) + ArrayView1::from(&self.mean)
    }
}

/// Apply to rows what takes and gives numbers unit by unit.
fn by_unit(rows: ArrayView2<f32>, f: impl Fn(&[f64]) -> Vec<f64>) -> Array2<f32> {
    let units: Vec<f64> = rows.t().iter().copied().map(f64::from).collect();
    let found = f(&units).into_iter().map(|number| number as f32).collect();
    let found = Array2::from_shape_vec((rows.ncols(), rows.nrows()), found);
    found.expect("as many numbers as before").reversed_axes()
}

/// The mean, the whitening of the strongest `sources` directions, and its inverse.
fn whiten(
    x: ArrayView2<f32>,
    sources: usize,
    rng: &Rng,
) -> Result<(Vec<f32>, Array2<f32>, Array2<f32>)> {
    let pca = Pca::fit(x, sources, &mut rng.split("whitening"))?;
    let rank = pca.rank();
    if rank < sources {
        return Err(Error::Array(format!(
            "cannot find {sources} sources of these observations: they vary in {rank} directions \
             only; ask for at most {rank}"
        )));
    }
    let (whitening, unwhitening) = (pca.whitening(), &pca.components * &pca.spreads());
    Ok((pca.mean, whitening, unwhitening))
}

/// Whitened rows, segment by segment.
struct Segments {
    size: usize,
    /// For each segment `[size, rows]`.
    rows: Vec<Vec<f64>>,
}

impl Segments {
    /// At most so many rows of each segment, the first ones.
    fn new(white: &Array2<f32>, segments: &[usize], most: usize) -> Result<Self> {
        let size = white.ncols();
        let count = segments.iter().max().map_or(0, |last| last + 1);
        let mut rows = vec![Vec::new(); count];
        for (row, &segment) in white.rows().into_iter().zip(segments) {
            if rows[segment].len() < most.saturating_mul(size) {
                rows[segment].extend(row.iter().copied().map(f64::from));
            }
        }
        rows.retain(|rows| !rows.is_empty());
        if rows.len() < 2 {
            return Err(Error::Missing(
                "all rows are in one segment, and sources are told apart by how they change from \
                 segment to segment; give two segments or more"
                    .into(),
            ));
        }
        if rows.iter().any(|rows| rows.len() < 2 * size) {
            return Err(Error::Missing(
                "a segment has one row, which has no scale; give each two or more".into(),
            ));
        }
        let rows = rows.into_iter().map(|rows| transposed(&rows, size)).collect();
        Ok(Self { size, rows })
    }

    fn minimise(&self, layers: &mut Layers, prior: Prior, steps: usize) {
        let stop = Stop { steps, gradient: 1e-6, decrease: 1e-10 };
        let mut numbers = layers.numbers.clone();
        let mut place = layers.clone();
        lbfgs::minimise(&mut numbers, stop, |numbers, gradient| {
            place.numbers.copy_from_slice(numbers);
            self.slope(&place, prior, gradient)
        });
        layers.numbers = numbers;
    }

    fn objective(&self, layers: &Layers, prior: Prior) -> f64 {
        self.slope(layers, prior, &mut vec![0.0; layers.numbers.len()])
    }

    /// The objective, and its gradient.
    fn slope(&self, layers: &Layers, prior: Prior, gradient: &mut [f64]) -> f64 {
        let one = |rows: &Vec<f64>| {
            let mut gradient = vec![0.0; layers.numbers.len()];
            let value = segment(layers, rows, prior, &mut gradient);
            (value, gradient)
        };
        // Added up in the order of the segments, so that threads do not change the result.
        let parts: Vec<(f64, Vec<f64>)> = self.rows.par_iter().map(one).collect();
        let rows = self.rows.iter().map(Vec::len).sum::<usize>() as f64 / self.size as f64;
        gradient.fill(0.0);
        let mut value = 0.0;
        for (part, slopes) in &parts {
            value += part / rows;
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope / rows);
        }
        value - layers.log_determinants(gradient)
    }
}

/// `[rows, size]` to `[size, rows]`
fn transposed(rows: &[f64], size: usize) -> Vec<f64> {
    (0..size).flat_map(|unit| rows.iter().skip(unit).step_by(size).copied()).collect()
}

/// What the rows of one segment, `[size, rows]`, cost without the determinants, and its gradient.
fn segment(layers: &Layers, white: &[f64], prior: Prior, gradient: &mut [f64]) -> f64 {
    let rows = white.len() / layers.size;
    let hidden = layers.pass(white);
    let sources = &hidden[hidden.len() - white.len()..];
    let mut slope = Vec::with_capacity(white.len());
    let mut value = 0.0;
    for source in sources.chunks(rows) {
        let sum: f64 = match prior {
            Prior::Gaussian => source.iter().map(|s| s * s).sum(),
            Prior::Laplace => source.iter().map(|s| s.abs()).sum(),
        };
        let mean = sum / rows as f64 + f64::MIN_POSITIVE;
        // ½ log of the mean square is the log of the scale.
        let share = if prior == Prior::Gaussian { 0.5 } else { 1.0 };
        value += rows as f64 * share * mean.ln();
        slope.extend(source.iter().map(|s| match prior {
            Prior::Gaussian => s / mean,
            Prior::Laplace => s.signum() / mean,
        }));
    }
    value + layers.back(white, &hidden, &mut slope, gradient)
}

#[cfg(test)]
mod tests;
