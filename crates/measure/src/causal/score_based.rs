//! Latents that are mixed linearly, found from interventions on one of them at a time (LSCALE-I: Varıcı, Acartürk,
//! Shanmugam, Kumar, Tajer, Score-based Causal Representation Learning: Linear and General Transformations, JMLR 2025).
//!
//! ```text
//! x = G z;  environment k: z_k has another mechanism          (hard: without its parents; soft: with other weights)
//! s_k(x) = ∇ log p(x) − ∇ log p_k(x),   R_k = E[s_k s_kᵀ]     over the rows without intervention
//! soft:  row k of the encoder = first eigenvector of R_k;     i → k if (decᵀ R_k dec)_ii is not small
//! hard:  row k − its regression on the rows of its ancestors in environment k, where z_k knows nothing of them
//! ```
//!
//! Only z_k and its parents are in s_k: all other mechanisms cancel. Densities are taken to be Gaussian, so a score is
//! −Σ⁻¹ (x − μ) and R_k follows from the moments alone: no row is looked at twice. After soft interventions latents are
//! known up to their ancestors and the graph up to its transitive closure; after hard ones up to scale, and the graph.
//!
//! Differences from the authors' code: parents are those whose share in R_k, of latents with unit variance, is above a
//! threshold relative to that of z_k itself; theirs is an absolute number in the scale of the decoder.

use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Mat, Side};
use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::error::{Error, Result};
use crate::stats::covariance::{covariance, eigenvectors};

/// What found latents and their graph are made of.
#[derive(Clone, Debug)]
pub struct Found {
    /// From centred observations to latents of unit variance, `[latents, observed]`.
    pub encoder: Array2<f64>,
    /// The mean of the rows without intervention.
    pub mean: Array1<f64>,
    /// `[cause, effect]`
    pub graph: Array2<bool>,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Whether interventions cut all parents.
    pub hard: bool,
    /// A parent has at least this share of what the node itself has in R.
    pub threshold: f64,
}

/// The mean and covariance of an environment, in the support of all.
struct Moments {
    mean: Array1<f64>,
    covariance: Array2<f64>,
}

/// Find as many latents as there are interventions, from rows without one and rows of each, `[rows, observed]`.
pub fn find(
    usual: ArrayView2<f32>,
    intervened: &[ArrayView2<f32>],
    search: Search,
) -> Result<Found> {
    let latents = intervened.len();
    let all: Vec<Moments> = std::iter::once(&usual).chain(intervened).map(moments).collect();
    let support = support(&all, latents)?;
    let all: Vec<Moments> = all.iter().map(|moments| moments.within(&support)).collect();
    let (usual_here, others) = all.split_first().expect("there is always one without intervention");
    let differences = score_differences(usual_here, others)?;
    let mut encoder = Array2::zeros((latents, latents));
    for (k, matrix) in differences.iter().enumerate() {
        let (_, vectors) = eigenvectors(matrix, 1).ok_or_else(not_finite)?;
        encoder.row_mut(k).assign(&vectors.column(0));
    }
    normalise(&mut encoder, usual_here);
    let mut weights = shares(&encoder, &differences)?;
    let order = order(&weights);
    let mut graph = above(&weights, &order, search.threshold);
    if search.hard {
        for (place, &node) in order.iter().enumerate() {
            let ancestors: Vec<usize> = order[..place]
                .iter()
                .copied()
                .filter(|other| reaches(&graph, *other, node))
                .collect();
            without(&mut encoder, node, &ancestors, &others[node])?;
        }
        normalise(&mut encoder, usual_here);
        weights = shares(&encoder, &differences)?;
        let again = above(&weights, &order, search.threshold);
        // What an ancestor seemed to be may have come through another one; what was none stays none.
        let closed = closure(&graph);
        graph = Array2::from_shape_fn(graph.dim(), |edge| again[edge] && closed[edge]);
    }
    let mean = moments(&usual).mean;
    Ok(Found { encoder: encoder.dot(&support.t()), mean, graph })
}

fn moments(rows: &ArrayView2<f32>) -> Moments {
    let mean = rows.mapv(f64::from).mean_axis(Axis(0)).unwrap_or_default();
    Moments { mean, covariance: covariance(*rows) }
}

impl Moments {
    fn within(&self, support: &Array2<f64>) -> Self {
        let covariance = support.t().dot(&self.covariance).dot(support);
        Self { mean: support.t().dot(&self.mean), covariance }
    }
}

/// The directions in which anything varies, as columns, in which the rows without intervention have variance 1: else the
/// chance of few rows is largest where they vary least.
fn support(all: &[Moments], latents: usize) -> Result<Array2<f64>> {
    let width = all[0].covariance.nrows();
    if width < latents {
        return Err(Error::Missing(format!(
            "{latents} latents cannot be found in {width} observed numbers; give as many at least"
        )));
    }
    let sum =
        all.iter().fold(Array2::zeros((width, width)), |sum, moments| sum + &moments.covariance);
    let (values, vectors) = eigenvectors(&sum, latents).ok_or_else(not_finite)?;
    match values.last() {
        Some(least) if *least > 1e-9 * values[0] => {
            let usual = vectors.t().dot(&all[0].covariance).dot(&vectors);
            let (values, turn) = eigenvectors(&usual, latents).ok_or_else(not_finite)?;
            let scale = Array1::from_iter(values.iter().map(|value| value.max(1e-300).powf(-0.5)));
            Ok(vectors.dot(&(turn * scale)))
        }
        _ => Err(Error::Missing(format!(
            "these rows vary in fewer than {latents} directions, one for each intervention; a latent is not seen in them"
        ))),
    }
}

/// R of each environment: s = A x + b with A = P_k − P and b = P μ − P_k μ_k, for precisions P.
fn score_differences(usual: &Moments, others: &[Moments]) -> Result<Vec<Array2<f64>>> {
    let precision = inverse(&usual.covariance)?;
    let one = |other: &Moments| {
        let theirs = inverse(&other.covariance)?;
        let turn = &theirs - &precision;
        // At the mean of the usual rows.
        let shift = theirs.dot(&(&usual.mean - &other.mean));
        let shift = shift.insert_axis(Axis(1));
        Ok(turn.dot(&usual.covariance).dot(&turn.t()) + shift.dot(&shift.t()))
    };
    others.iter().map(one).collect()
}

fn inverse(matrix: &Array2<f64>) -> Result<Array2<f64>> {
    let size = matrix.nrows();
    let factor = Mat::from_fn(size, size, |i, j| matrix[[i, j]]).llt(Side::Lower);
    let inverse = factor.map_err(|_| not_finite())?.inverse();
    Ok(Array2::from_shape_fn((size, size), |(i, j)| inverse[(i, j)]))
}

fn not_finite() -> Error {
    Error::Missing(
        "the covariance of these rows has no inverse; give more rows, without constant columns"
            .into(),
    )
}

/// Latents of unit variance in the usual rows.
fn normalise(encoder: &mut Array2<f64>, usual: &Moments) {
    for mut row in encoder.rows_mut() {
        let variance = row.dot(&usual.covariance.dot(&row));
        row /= variance.sqrt().max(1e-300);
    }
}

/// What each latent has in each R, `[latent, environment]`: the diagonals of decᵀ R_k dec.
fn shares(encoder: &Array2<f64>, differences: &[Array2<f64>]) -> Result<Array2<f64>> {
    let size = encoder.nrows();
    let square = Mat::from_fn(size, size, |i, j| encoder[[i, j]]);
    let decoder = square.partial_piv_lu().solve(Mat::<f64>::identity(size, size));
    let decoder = Array2::from_shape_fn((size, size), |(i, j)| decoder[(i, j)]);
    if decoder.iter().any(|number| !number.is_finite()) {
        return Err(Error::Missing(
            "two interventions look the same, so their latents cannot be told apart; are they on one node?".into(),
        ));
    }
    let mut weights = Array2::zeros((size, size));
    for (k, matrix) in differences.iter().enumerate() {
        let inside = decoder.t().dot(matrix).dot(&decoder);
        weights.column_mut(k).assign(&inside.diag());
    }
    Ok(weights)
}

/// Causes first: again and again the latent on which the others that are left have the least weight.
fn order(weights: &Array2<f64>) -> Vec<usize> {
    let mut left: Vec<usize> = (0..weights.nrows()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let pull = |node: usize| -> f64 {
            let others = left.iter().filter(|other| **other != node);
            others.map(|other| weights[[*other, node]] / weights[[node, node]].max(1e-300)).sum()
        };
        let place = (0..left.len()).min_by(|a, b| pull(left[*a]).total_cmp(&pull(left[*b])));
        order.push(left.remove(place.expect("some are left")));
    }
    order
}

/// The edges along an order whose weight is not small.
fn above(weights: &Array2<f64>, order: &[usize], threshold: f64) -> Array2<bool> {
    let mut graph = Array2::from_elem(weights.dim(), false);
    for (place, &effect) in order.iter().enumerate() {
        for &cause in &order[..place] {
            graph[[cause, effect]] =
                weights[[cause, effect]] > threshold * weights[[effect, effect]];
        }
    }
    graph
}

/// Whether there is a way along edges.
fn reaches(graph: &Array2<bool>, from: usize, to: usize) -> bool {
    let next = (0..graph.nrows()).filter(|node| graph[[from, *node]]);
    graph[[from, to]] || next.into_iter().any(|node| reaches(graph, node, to))
}

fn closure(graph: &Array2<bool>) -> Array2<bool> {
    Array2::from_shape_fn(graph.dim(), |(from, to)| from != to && reaches(graph, from, to))
}

/// Take out of a row of the encoder what the rows of its ancestors tell of it where it was cut from them.
fn without(
    encoder: &mut Array2<f64>,
    node: usize,
    ancestors: &[usize],
    cut: &Moments,
) -> Result<()> {
    if ancestors.is_empty() {
        return Ok(());
    }
    let rows = encoder.select(Axis(0), ancestors);
    let among = rows.dot(&cut.covariance).dot(&rows.t());
    let with = rows.dot(&cut.covariance.dot(&encoder.row(node)));
    let weights = inverse(&among)?.dot(&with);
    let told = weights.dot(&rows);
    encoder.row_mut(node).scaled_add(-1.0, &told);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// z_0 → z_1 → z_2, mixed into four numbers; interventions cut the parents or halve the weights.
    fn environments(hard: bool, rows: usize) -> (Array2<f32>, Vec<Array2<f32>>, Array2<f64>) {
        let mut rng = Rng::new(4);
        let mixing = Array2::from_shape_fn((4, 3), |_| f64::from(rng.normal()));
        let mut draw = |target: Option<usize>| {
            let mut x = Array2::zeros((rows, 4));
            for mut row in x.rows_mut() {
                let mut z = [0.0f64; 3];
                for k in 0..3 {
                    let on = target == Some(k);
                    let weight = match (k, on) {
                        (0, _) => 0.0,
                        (_, true) => {
                            if hard {
                                0.0
                            } else {
                                0.5
                            }
                        }
                        _ => 1.0,
                    };
                    let noise = f64::from(rng.normal()) * if on { 5f64.sqrt() } else { 1.0 };
                    z[k] = noise + if k > 0 { weight * z[k - 1] } else { 0.0 };
                }
                for (out, line) in row.iter_mut().zip(mixing.rows()) {
                    *out = line.iter().zip(z).map(|(a, b)| a * b).sum::<f64>() as f32;
                }
            }
            x
        };
        let usual = draw(None);
        let others = (0..3).map(|k| draw(Some(k))).collect();
        (usual, others, mixing)
    }

    fn found(hard: bool) -> (Found, Array2<f64>) {
        let (usual, others, mixing) = environments(hard, 20_000);
        let views: Vec<ArrayView2<f32>> = others.iter().map(|rows| rows.view()).collect();
        let found = find(usual.view(), &views, Search { hard, threshold: 0.01 }).unwrap();
        let effective = found.encoder.dot(&mixing);
        (found, effective)
    }

    #[test]
    fn hard_interventions_tell_each_latent_and_the_graph() {
        let (found, effective) = found(true);
        for (k, row) in effective.rows().into_iter().enumerate() {
            let others = row.iter().enumerate().filter(|(j, _)| *j != k);
            let most = others.map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
            assert!(most < 0.1 * row[k].abs(), "{k}: {row}");
        }
        let edges: Vec<_> =
            found.graph.indexed_iter().filter(|(_, edge)| **edge).map(|(at, _)| at).collect();
        assert_eq!(edges, [(0, 1), (1, 2)]);
    }

    #[test]
    fn soft_ones_tell_them_up_to_ancestors() {
        let (found, effective) = found(false);
        // Descendants are never in it; z_2 is itself and what it comes from.
        for (k, row) in effective.rows().into_iter().enumerate() {
            let descendants = row.iter().skip(k + 1).map(|weight| weight.abs());
            assert!(descendants.fold(0.0, f64::max) < 0.15 * row[k].abs(), "{k}: {row}");
        }
        assert!(closure(&found.graph)[[0, 2]] && !found.graph[[2, 0]], "{:?}", found.graph);
    }

    #[test]
    fn what_is_not_seen_is_refused() {
        let (usual, others, _) = environments(true, 500);
        let view = |rows: &Array2<f32>| rows.clone();
        let first = view(&usual);
        let narrow = first.slice_axis(Axis(1), (0..2).into());
        let cut: Vec<ArrayView2<f32>> =
            others.iter().map(|rows| rows.slice_axis(Axis(1), (0..2).into())).collect();
        let search = Search { hard: true, threshold: 0.01 };
        let said = find(narrow, &cut, search).unwrap_err().to_string();
        assert!(said.contains("3 latents cannot be found in 2"), "{said}");
    }
}
