//! Principal components: the directions in which observations vary most.
//!
//! Narrow data go through their covariance matrix, exactly. For images that matrix is too large
//! (36,864 x 36,864 for 192x192), so block subspace iteration (Halko et al. 2011,
//! arXiv:0909.4061) multiplies by it without ever forming it: C Q = Xᵀ (X Q) / (n - 1), strip of
//! rows by strip of rows, until C v = λ v holds for every component.

use faer::Mat;
use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::stats::covariance::eigenvectors;

/// Up to this many numbers per observation, the covariance matrix is decomposed whole.
const EXACT_WIDTH: usize = 256;
/// Columns iterated beside the wanted ones, at least: each makes the wanted ones converge faster.
const OVERSAMPLED: usize = 16;
/// Converged when |C v - λ v| is below this share of the largest λ; single precision allows 1e-6.
const TOLERANCE: f64 = 1e-5;
/// Data without structure may never converge to the tolerance; what is found by then is good.
const ITERATIONS: usize = 60;
/// A direction with less than this share of the largest variance does not vary.
const RANK: f32 = 1e-7;
/// Rows are summed in this many strips on any machine, so that threads do not change the result.
const STRIPS: usize = 16;
/// Rows that are centred and multiplied at once: few enough to stay in the cache.
const ROWS: usize = 64;

/// Fitted principal components.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// The mean observation, `[numbers]`.
    pub mean: Vec<f32>,
    /// `[k, numbers]`, orthonormal rows, the largest variance first; the entry of largest magnitude
    /// in each row is positive.
    pub components: Array2<f32>,
    /// The variance along each component, `[k]`.
    pub variances: Vec<f32>,
}

impl Pca {
    /// Find the first `k` components of observations `[rows, numbers]`.
    pub fn fit(x: ArrayView2<f32>, k: usize, rng: &mut Rng) -> Result<Self> {
        let most = x.nrows().min(x.ncols());
        if k == 0 || k > most {
            return Err(Error::Array(format!(
                "cannot find {k} principal components of {} rows with {} numbers each; ask for 1 to \
                 {most}",
                x.nrows(),
                x.ncols()
            )));
        }
        let mean = means(x);
        let axes = if x.ncols() <= EXACT_WIDTH {
            exact(x, &mean, k)?
        } else {
            iterated(x, &mean, k, rng)?
        };
        Ok(Self {
            mean,
            components: with_fixed_signs(axes.vectors.t().mapv(|entry| entry as f32)),
            variances: axes.values.iter().map(|value| value.max(0.0) as f32).collect(),
        })
    }

    /// Along how many components the data vary at all, beyond the rounding of single precision.
    pub fn rank(&self) -> usize {
        let least = RANK * self.variances.first().copied().unwrap_or(0.0);
        self.variances.iter().filter(|variance| **variance > least).count()
    }

    /// The standard deviation along each component, `[k, 1]`.
    pub fn spreads(&self) -> Array2<f32> {
        Array2::from_shape_fn((self.variances.len(), 1), |(k, _)| self.variances[k].sqrt())
    }

    /// D^(-1/2) Vᵀ, `[k, numbers]`: times a centred observation, one of unit variance and without
    /// correlations. Every component must vary.
    pub fn whitening(&self) -> Array2<f32> {
        &self.components / &self.spreads()
    }

    /// The coordinates of observations `[rows, numbers]` along the components, `[rows, k]`.
    pub fn encode(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let coordinates =
            |rows: ArrayView2<f32>| centred(rows, &self.mean).dot(&self.components.t());
        by_strips(x, self.components.nrows(), coordinates)
    }

    /// The observations with these coordinates `[rows, k]`, `[rows, numbers]`.
    pub fn decode(&self, codes: ArrayView2<f32>) -> Array2<f32> {
        let mean = ArrayView1::from(&self.mean);
        by_strips(codes, mean.len(), |rows| rows.dot(&self.components) + mean)
    }
}

/// Eigenvectors as columns `[size, k]`, and their values, the largest first.
struct Axes {
    values: Vec<f64>,
    vectors: Array2<f64>,
}

/// C = Xᵀ X / (n - 1) of centred rows, decomposed.
fn exact(x: ArrayView2<f32>, mean: &[f32], k: usize) -> Result<Axes> {
    let mut covariance = Array2::<f64>::zeros((x.ncols(), x.ncols()));
    for rows in x.axis_chunks_iter(Axis(0), ROWS) {
        let rows = centred(rows, mean).mapv(f64::from);
        general_mat_mul(1.0 / freedom(x), &rows.t(), &rows, 1.0, &mut covariance);
    }
    eigen(&covariance, k)
}

/// Q <- orthonormal(C Q) until the best eigenvectors within the span of Q are those of C.
fn iterated(x: ArrayView2<f32>, mean: &[f32], k: usize, rng: &mut Rng) -> Result<Axes> {
    let block = (k + k.max(OVERSAMPLED)).min(x.nrows()).min(x.ncols());
    let start = Array2::from_shape_simple_fn((x.ncols(), block), || f64::from(rng.normal()));
    let mut q = orthonormal(&start); // [numbers, block]
    let mut iteration = 0;
    loop {
        let image = covariance_times(x, mean, &q); // C Q
        // Rayleigh and Ritz: within the span of Q, C acts as QᵀCQ; its eigenvectors sort the span.
        let inner = eigen(&q.t().dot(&image), block)?;
        let vectors = q.dot(&inner.vectors);
        let images = image.dot(&inner.vectors);
        iteration += 1;
        if iteration == ITERATIONS || residual(&images, &vectors, &inner.values[..k]) <= TOLERANCE {
            let values = inner.values[..k].to_vec();
            return Ok(Axes {
                values,
                vectors: vectors.slice_axis(Axis(1), (..k).into()).to_owned(),
            });
        }
        q = orthonormal(&images);
    }
}

/// C Q without C, `[numbers, block]`.
fn covariance_times(x: ArrayView2<f32>, mean: &[f32], q: &Array2<f64>) -> Array2<f64> {
    let q = q.mapv(|entry| entry as f32);
    let strip_sum = |strip: ArrayView2<f32>| {
        let mut sum = Array2::<f32>::zeros(q.dim());
        for rows in strip.axis_chunks_iter(Axis(0), ROWS) {
            let rows = centred(rows, mean);
            general_mat_mul(1.0, &rows.t(), &rows.dot(&q), 1.0, &mut sum);
        }
        sum
    };
    let strips = x.axis_chunks_iter(Axis(0), x.nrows().div_ceil(STRIPS));
    let sums: Vec<Array2<f32>> = strips.into_par_iter().map(strip_sum).collect();
    let mut total = Array2::zeros(q.dim());
    for sum in &sums {
        total.zip_mut_with(sum, |total, part| *total += f64::from(*part));
    }
    total / freedom(x)
}

/// The largest |C v - λ v| as a share of the largest λ; 0 where nothing varies.
fn residual(images: &Array2<f64>, vectors: &Array2<f64>, values: &[f64]) -> f64 {
    let off = |(i, value): (usize, &f64)| {
        let pairs = images.column(i).into_iter().zip(vectors.column(i));
        pairs.map(|(image, entry)| (image - value * entry).powi(2)).sum::<f64>().sqrt()
    };
    if values[0] <= 0.0 {
        return 0.0;
    }
    values.iter().enumerate().map(off).fold(0.0, f64::max) / values[0]
}

/// The largest eigenvalues, the largest first, and their vectors as columns.
fn eigen(matrix: &Array2<f64>, k: usize) -> Result<Axes> {
    let (values, vectors) = eigenvectors(matrix, k)
        .ok_or_else(|| Error::Array("no principal components: are all numbers finite?".into()))?;
    Ok(Axes { values, vectors })
}

/// Orthonormal columns with the same span.
fn orthonormal(columns: &Array2<f64>) -> Array2<f64> {
    let q = Mat::from_fn(columns.nrows(), columns.ncols(), |i, j| columns[[i, j]])
        .qr()
        .compute_thin_Q();
    Array2::from_shape_fn(columns.dim(), |(i, j)| q[(i, j)])
}

/// Apply `f` to a few rows at a time, in parallel; it returns as many rows, `width` wide.
fn by_strips(
    x: ArrayView2<f32>,
    width: usize,
    f: impl Fn(ArrayView2<f32>) -> Array2<f32> + Sync,
) -> Array2<f32> {
    let mut out = Array2::zeros((x.nrows(), width));
    let strips = out.axis_chunks_iter_mut(Axis(0), ROWS).into_par_iter();
    strips.zip(x.axis_chunks_iter(Axis(0), ROWS)).for_each(|(mut out, rows)| out.assign(&f(rows)));
    out
}

fn means(x: ArrayView2<f32>) -> Vec<f32> {
    let mut sums = vec![0.0; x.ncols()];
    for row in x.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    sums.iter().map(|sum| (sum / x.nrows() as f64) as f32).collect()
}

fn centred(rows: ArrayView2<f32>, mean: &[f32]) -> Array2<f32> {
    &rows - &ArrayView1::from(mean)
}

fn freedom(x: ArrayView2<f32>) -> f64 {
    x.nrows().saturating_sub(1).max(1) as f64
}

/// An eigenvector may point either way; its largest entry decides.
fn with_fixed_signs(mut components: Array2<f32>) -> Array2<f32> {
    for mut row in components.rows_mut() {
        let largest =
            row.iter().copied().fold(0.0, |a: f32, b| if b.abs() > a.abs() { b } else { a });
        if largest < 0.0 {
            row.mapv_inplace(|entry| -entry);
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Rows mean + Σ_j spread_j · normal · axis_j over orthonormal axes that are cosine waves.
    fn waves(rows: usize, width: usize, spreads: &[f32], seed: u64) -> (Array2<f32>, Array2<f32>) {
        let wave = |(j, i): (usize, usize)| {
            let angle = std::f64::consts::PI * (j + 1) as f64 * (i as f64 + 0.5) / width as f64;
            ((2.0 / width as f64).sqrt() * angle.cos()) as f32
        };
        let axes = Array2::from_shape_fn((spreads.len(), width), wave);
        let mut rng = Rng::new(seed);
        let codes =
            Array2::from_shape_fn((rows, spreads.len()), |(_, j)| spreads[j] * rng.normal());
        (codes.dot(&axes) + 3.0, axes)
    }

    fn assert_orthonormal(components: &Array2<f32>) {
        let gram = components.dot(&components.t());
        for ((i, j), entry) in gram.indexed_iter() {
            assert!((entry - if i == j { 1.0 } else { 0.0 }).abs() < 1e-4, "{gram}");
        }
    }

    #[test]
    fn whitened_data_have_unit_variance_and_rank_counts_what_varies() {
        let (x, _) = waves(400, 12, &[5.0, 1.0, 0.2], 4);
        assert_eq!(Pca::fit(x.view(), 6, &mut Rng::new(0)).unwrap().rank(), 3);
        let pca = Pca::fit(x.view(), 3, &mut Rng::new(0)).unwrap();
        let white = centred(x.view(), &pca.mean).dot(&pca.whitening().t());
        let covariance = white.t().dot(&white) / 399.0;
        for ((i, j), entry) in covariance.indexed_iter() {
            assert!((entry - if i == j { 1.0 } else { 0.0 }).abs() < 1e-3, "{covariance}");
        }
    }

    #[test]
    fn known_axes_and_variances_are_found_narrow_and_wide() {
        for width in [32, 1000] {
            let (x, axes) = waves(4000, width, &[3.0, 2.0, 1.0], 0);
            let pca = Pca::fit(x.view(), 3, &mut Rng::new(1)).unwrap();
            assert_orthonormal(&pca.components);
            for (j, expected) in [9.0, 4.0, 1.0].into_iter().enumerate() {
                // The sampling error of a variance is a share of sqrt(2 / 4000).
                assert!((pca.variances[j] / expected - 1.0).abs() < 0.1, "{:?}", pca.variances);
                let agreement = pca.components.row(j).dot(&axes.row(j)).abs();
                assert!(agreement > 0.99, "component {j} of {width}: {agreement}");
            }
            // Three components are all there is, so nothing is lost on the way back.
            let back = pca.decode(pca.encode(x.view()).view());
            let worst = (&back - &x).iter().fold(0.0, |worst: f32, off| worst.max(off.abs()));
            assert!(worst < 1e-4, "{worst}");
        }
    }

    #[test]
    fn iteration_agrees_with_the_exact_decomposition() {
        let spreads: Vec<f32> = (0..60).map(|j| 3.0 * 0.93f32.powi(j)).collect();
        let (x, _) = waves(2000, 200, &spreads, 2);
        let mean = means(x.view());
        let exact = exact(x.view(), &mean, 10).unwrap();
        let iterated = iterated(x.view(), &mean, 10, &mut Rng::new(3)).unwrap();
        for j in 0..10 {
            assert!((iterated.values[j] / exact.values[j] - 1.0).abs() < 1e-5);
            let agreement = exact.vectors.column(j).dot(&iterated.vectors.column(j)).abs();
            assert!(agreement > 0.999_99, "component {j}: {agreement}");
        }
    }

    #[test]
    fn codes_are_uncorrelated_with_the_stated_variances() {
        let (x, _) = waves(500, 300, &[3.0, 2.0, 1.0, 0.5], 4);
        let pca = Pca::fit(x.view(), 2, &mut Rng::new(5)).unwrap();
        let codes = pca.encode(x.view()).mapv(f64::from);
        let covariance = codes.t().dot(&codes) / 499.0;
        assert!((covariance[[0, 0]] / f64::from(pca.variances[0]) - 1.0).abs() < 1e-3);
        assert!(covariance[[0, 1]].abs() < 1e-2);
    }

    #[test]
    fn few_or_equal_rows_are_no_trouble_and_too_many_components_are_refused() {
        let equal = Array2::<f32>::ones((5, 400));
        let pca = Pca::fit(equal.view(), 3, &mut Rng::new(0)).unwrap();
        assert_eq!(pca.variances, [0.0; 3]);
        assert_orthonormal(&pca.components);
        let (few, _) = waves(4, 400, &[1.0, 1.0, 1.0, 1.0, 1.0], 6);
        assert_orthonormal(&Pca::fit(few.view(), 4, &mut Rng::new(0)).unwrap().components);
        let error = Pca::fit(array![[1.0, 2.0]].view(), 2, &mut Rng::new(0)).unwrap_err();
        assert!(error.to_string().contains("ask for 1 to 1"), "{error}");
    }
}
