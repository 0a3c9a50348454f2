//! Independent components (FastICA, Hyvärinen 1999, IEEE Transactions on Neural Networks 10): the
//! directions along which observations are least Gaussian. Of whitened observations z, all rows of
//! the rotation W at once,
//!
//! ```text
//! W <- E[ tanh(W z) zᵀ ] - diag E[ 1 - tanh²(W z) ] W,   then   W <- (W Wᵀ)^(-1/2) W
//! ```
//!
//! until no row turns any more. tanh is the derivative of log cosh. Order and signs of the
//! components are arbitrary; each has variance 1.

use faer::Mat;
use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use crate::components::pca::Pca;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Iterations at most, and how little the cosine of a row with its last value may be off 1 at the
/// end: scikit-learn's.
const ITERATIONS: usize = 200;
const TOLERANCE: f64 = 1e-4;
/// A direction with less than this share of the largest variance is rounding of single precision.
const RANK: f32 = 1e-7;
/// Rows are summed in this many strips on any machine, so that threads do not change the result.
const STRIPS: usize = 16;
/// Rows that are multiplied at once: few enough to stay in the cache.
const ROWS: usize = 128;

/// Fitted independent components.
#[derive(Clone, Debug, PartialEq)]
pub struct FastIca {
    /// The mean observation, `[numbers]`.
    pub mean: Vec<f32>,
    /// `[k, numbers]`: times a centred observation, its components.
    pub unmixing: Array2<f32>,
    /// `[k, numbers]`: what one unit of each component adds to an observation.
    pub mixing: Array2<f32>,
    /// Iterations taken.
    pub iterations: usize,
    /// Whether they ended because nothing turned any more. If not, the components are the best so
    /// far: sources that are Gaussian cannot be told apart, and keep turning.
    pub converged: bool,
}

impl FastIca {
    /// Find `k` independent components of observations `[rows, numbers]`.
    pub fn fit(x: ArrayView2<f32>, k: usize, rng: &mut Rng) -> Result<Self> {
        let pca = Pca::fit(x, k, &mut rng.split("whitening"))?;
        let rank = pca.variances.iter().filter(|&&v| v > RANK * pca.variances[0]).count();
        if rank < k {
            let way_out = match rank {
                0 => "they are all the same".to_string(),
                _ => format!("they vary in {rank} directions only; ask for at most {rank}"),
            };
            return Err(Error::Array(format!(
                "cannot find {k} independent components of these observations: {way_out}"
            )));
        }
        let spreads: Vec<f32> = pca.variances.iter().map(|variance| variance.sqrt()).collect();
        let white = pca.encode(x) / ArrayView1::from(&spreads); // [rows, k]
        let mut rotations = rng.split("rotation");
        let start = Array2::from_shape_simple_fn((k, k), || f64::from(rotations.normal()));
        let mut rotation = nearest_rotation(&start)?;
        let mut iterations = 0;
        let mut converged = false;
        while iterations < ITERATIONS && !converged {
            let next = nearest_rotation(&update(&white, &rotation))?;
            converged = turn(&next, &rotation) < TOLERANCE;
            rotation = next;
            iterations += 1;
        }
        let rotation = rotation.mapv(|entry| entry as f32);
        let spreads = ArrayView1::from(&spreads).insert_axis(Axis(1));
        let unmixing = rotation.dot(&(&pca.components / &spreads));
        let mixing = rotation.dot(&(&pca.components * &spreads));
        Ok(Self { mean: pca.mean, unmixing, mixing, iterations, converged })
    }

    /// The components of observations `[rows, numbers]`, `[rows, k]`.
    pub fn transform(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((x.nrows(), self.unmixing.nrows()));
        let mean = ArrayView1::from(&self.mean);
        let strips = out.axis_chunks_iter_mut(Axis(0), ROWS).into_par_iter();
        strips.zip(x.axis_chunks_iter(Axis(0), ROWS)).for_each(|(mut out, rows)| {
            general_mat_mul(1.0, &(&rows - &mean), &self.unmixing.t(), 0.0, &mut out);
        });
        out
    }
}

impl FastIca {
    /// Observations with these components, `[rows, k]` to `[rows, numbers]`.
    pub fn inverse(&self, components: ArrayView2<f32>) -> Array2<f32> {
        components.dot(&self.mixing) + ArrayView1::from(&self.mean)
    }
}

/// E[ tanh(W z) zᵀ ] - diag E[ 1 - tanh²(W z) ] W, with rows z of `white`, `[k, k]`.
fn update(white: &Array2<f32>, rotation: &Array2<f64>) -> Array2<f64> {
    let w = rotation.mapv(|entry| entry as f32);
    let strip_sums = |strip: ArrayView2<f32>| {
        let mut products = Array2::<f64>::zeros(w.dim());
        let mut slopes = vec![0.0; w.nrows()];
        for z in strip.axis_chunks_iter(Axis(0), ROWS) {
            let g = z.dot(&w.t()).mapv_into(f32::tanh); // [rows, k]
            products += &g.t().dot(&z).mapv(f64::from);
            for (slope, column) in slopes.iter_mut().zip(g.columns()) {
                *slope += column.iter().map(|g| 1.0 - f64::from(g * g)).sum::<f64>();
            }
        }
        (products, slopes)
    };
    let strips = white.axis_chunks_iter(Axis(0), white.nrows().div_ceil(STRIPS));
    let sums: Vec<_> = strips.into_par_iter().map(strip_sums).collect();
    let mut total = Array2::zeros(w.dim());
    for (products, slopes) in &sums {
        total += products;
        for ((mut row, slope), w) in total.rows_mut().into_iter().zip(slopes).zip(rotation.rows()) {
            row.scaled_add(-slope, &w);
        }
    }
    total / white.nrows() as f64
}

/// (W Wᵀ)^(-1/2) W = U Vᵀ with the singular vectors of W = U S Vᵀ: the orthogonal matrix closest
/// to it.
fn nearest_rotation(w: &Array2<f64>) -> Result<Array2<f64>> {
    let decomposed = Mat::from_fn(w.nrows(), w.ncols(), |i, j| w[[i, j]])
        .svd()
        .map_err(|_| Error::Array("no independent components: are all numbers finite?".into()))?;
    let product = decomposed.U() * decomposed.V().transpose();
    Ok(Array2::from_shape_fn(w.dim(), |(i, j)| product[(i, j)]))
}

/// The largest distance from 1 of |cosine| between a row and what it was.
fn turn(next: &Array2<f64>, last: &Array2<f64>) -> f64 {
    let rows = next.rows().into_iter().zip(last.rows());
    rows.map(|(next, last)| (next.dot(&last).abs() - 1.0).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::assignment::best_matching;
    use crate::stats::correlation::pearson;

    /// A uniform source, a Laplace one, a square wave and a saw-tooth.
    fn sources(rows: usize) -> Array2<f32> {
        let mut rng = Rng::new(0);
        Array2::from_shape_fn((rows, 4), |(row, source)| {
            let u = rng.uniform() - 0.5;
            let value = match source {
                0 => u,
                1 => -u.signum() * (1.0 - 2.0 * u.abs()).ln(),
                2 => (row as f64 * 0.05).sin().signum(),
                _ => (row as f64 * 0.0317).fract(),
            };
            value as f32
        })
    }

    fn mixed(sources: &Array2<f32>, width: usize) -> Array2<f32> {
        let mut rng = Rng::new(1);
        let mixing = Array2::from_shape_simple_fn((sources.ncols(), width), || rng.normal());
        sources.dot(&mixing) + 5.0
    }

    /// The smallest |correlation| of a source with the component matched to it.
    fn worst_match(components: &Array2<f32>, sources: &Array2<f32>) -> f64 {
        let strength = pearson(components.view(), sources.view()).mapv(f64::abs);
        let pairs = best_matching(strength.view());
        assert_eq!(pairs.len(), sources.ncols());
        pairs.into_iter().map(|pair| strength[pair]).fold(1.0, f64::min)
    }

    #[test]
    fn independent_sources_are_recovered_from_their_mixtures() {
        let sources = sources(5000);
        // As many mixtures as sources, more, and so many that whitening iterates.
        for width in [4, 9, 300] {
            let x = mixed(&sources, width);
            let ica = FastIca::fit(x.view(), 4, &mut Rng::new(2)).unwrap();
            assert!(ica.converged && ica.iterations < 50, "{} iterations", ica.iterations);
            let components = ica.transform(x.view());
            let worst = worst_match(&components, &sources);
            assert!(worst > 0.99, "{worst} of {width} mixtures");
            for column in components.columns() {
                assert!((column.mapv(f64::from).var(1.0) - 1.0).abs() < 1e-3);
                assert!(column.mean().unwrap().abs() < 1e-3);
            }
        }
    }

    #[test]
    fn principal_components_alone_do_not_recover_them() {
        let sources = sources(5000);
        let x = mixed(&sources, 4);
        let pca = Pca::fit(x.view(), 4, &mut Rng::new(0)).unwrap();
        assert!(worst_match(&pca.encode(x.view()), &sources) < 0.9);
    }

    #[test]
    fn gaussian_sources_end_without_convergence_and_without_panic() {
        let mut rng = Rng::new(3);
        let x = Array2::from_shape_simple_fn((100, 20), || rng.normal());
        let ica = FastIca::fit(x.view(), 20, &mut Rng::new(4)).unwrap();
        assert!(!ica.converged && ica.iterations == ITERATIONS, "{}", ica.iterations);
        assert!(ica.unmixing.iter().all(|entry| entry.is_finite()));
    }

    #[test]
    fn more_components_than_directions_are_refused() {
        let sources = sources(500);
        for width in [6, 300] {
            let x = mixed(&sources, width);
            let error = FastIca::fit(x.view(), 5, &mut Rng::new(0)).unwrap_err().to_string();
            assert!(error.contains("vary in 4 directions only; ask for at most 4"), "{error}");
        }
        let equal = Array2::<f32>::ones((10, 3));
        let error = FastIca::fit(equal.view(), 1, &mut Rng::new(0)).unwrap_err().to_string();
        assert!(error.contains("all the same"), "{error}");
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let x = mixed(&sources(2000), 6);
        let fit = || FastIca::fit(x.view(), 4, &mut Rng::new(5)).unwrap();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(fit(), one.install(fit));
    }
}
