//! How well learned interactions tell which factors were acted on (BISCUIT, Lippe et al. 2023,
//! arXiv:2306.09643). For each latent a model says at each step whether it was acted on, 0 or 1;
//! for each factor it is known. Of a latent and a factor,
//!
//! ```text
//! F1 = 2 TP / (2 TP + FP + FN)
//! ```
//!
//! Which of the two values means "acted on" cannot be learned, so the better of both readings of a
//! latent counts.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::error::{Error, Result};
use crate::stats::assignment::best_matching;
use crate::stats::mean;

/// Which latent tells best of a factor, and how well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// The number of the latent.
    pub latent: usize,
    /// Whether its 0 means that the factor was acted on.
    pub flipped: bool,
    /// From 0 to 1.
    pub f1: f64,
    /// F1 of a latent that never changes: 2 p / (1 + p) for a factor that is acted on at a share p
    /// of the steps. Only what is above it was learned.
    pub constant: f64,
}

/// How well interactions were learned.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionF1 {
    /// The mean over factors that are acted on at some step.
    pub mean: f64,
    /// For each factor; `None` where it is never acted on, and there is no F1.
    pub factors: Vec<Option<Told>>,
}

/// Compare learned interactions `[steps, latents]` with the true ones `[steps, factors]`. Each
/// factor has the latent that tells best of it; one latent may serve several factors, unless there
/// are as many latents as factors: then each has one of its own, for the largest sum of F1.
pub fn interaction_f1(learned: ArrayView2<bool>, truth: ArrayView2<bool>) -> Result<InteractionF1> {
    if learned.nrows() != truth.nrows() || learned.is_empty() {
        return Err(Error::Array(format!(
            "learned interactions {:?} and true ones {:?} must be [steps, latents] and [steps, \
             factors], with the same steps and at least one latent",
            learned.shape(),
            truth.shape()
        )));
    }
    let shape = (learned.ncols(), truth.ncols());
    let pairs = Array2::from_shape_fn(shape, |(j, k)| tell(j, learned.column(j), truth.column(k)));
    let chosen = chosen(&pairs);
    let acted_on = |k: usize| truth.column(k).iter().any(|acted| *acted);
    let factors: Vec<Option<Told>> =
        (0..truth.ncols()).map(|k| acted_on(k).then(|| pairs[[chosen[k], k]])).collect();
    let known: Vec<f64> = factors.iter().flatten().map(|told| told.f1).collect();
    match known.is_empty() {
        true => Err(Error::Missing(
            "no factor is acted on at any of these steps, so there is no F1; give steps with \
             interactions"
                .into(),
        )),
        false => Ok(InteractionF1 { mean: mean(known), factors }),
    }
}

/// The latent of each factor.
fn chosen(pairs: &Array2<Told>) -> Vec<usize> {
    let (latents, factors) = pairs.dim();
    if latents == factors {
        let matched = best_matching(pairs.mapv(|told| told.f1).t());
        return matched.into_iter().map(|(_, latent)| latent).collect();
    }
    let best = |k: usize| {
        // The first of equals.
        let better = |best, j| if pairs[[j, k]].f1 > pairs[[best, k]].f1 { j } else { best };
        (1..latents).fold(0, better)
    };
    (0..factors).map(best).collect()
}

/// What one latent tells of one factor, read the better way.
fn tell(latent: usize, learned: ArrayView1<bool>, truth: ArrayView1<bool>) -> Told {
    let mut counts = [[0_usize; 2]; 2];
    for (learned, truth) in learned.iter().zip(truth) {
        counts[usize::from(*learned)][usize::from(*truth)] += 1;
    }
    let wanted = counts[0][1] + counts[1][1];
    // 2 TP + FP + FN is what was said and what is true together; 0 for nothing said of nothing.
    let f1 = |said: [usize; 2]| match said[0] + said[1] + wanted {
        0 => 0.0,
        both => 2.0 * said[1] as f64 / both as f64,
    };
    let [flipped, as_is] = counts.map(f1);
    let constant = f1([truth.len() - wanted, wanted]);
    Told { latent, flipped: flipped > as_is, f1: flipped.max(as_is), constant }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, concatenate};

    use crate::rng::Rng;

    /// `[steps, factors]`, each acted on at a third of the steps.
    fn truth(factors: usize) -> Array2<bool> {
        let mut rng = Rng::new(0);
        Array2::from_shape_simple_fn((600, factors), || rng.uniform() < 1.0 / 3.0)
    }

    #[test]
    fn f1_by_hand_both_ways() {
        let learned = ndarray::array![true, true, false, false, false];
        let truth = ndarray::array![true, false, true, false, false];
        // One of two is right, and one of two is found; the other way, 1 of 3, and 1 of 2.
        let told = tell(4, learned.view(), truth.view());
        assert_eq!((told.latent, told.flipped, told.f1), (4, false, 0.5));
        assert!((told.constant - 2.0 * 0.4 / 1.4).abs() < 1e-12);
        let other = tell(4, learned.mapv(|acted| !acted).view(), truth.view());
        assert_eq!((other.flipped, other.f1), (true, 0.5));
    }

    #[test]
    fn the_truth_is_found_in_any_order_and_either_sign() {
        let truth = truth(3);
        let mut learned = truth.select(Axis(1), &[2, 0, 1]);
        learned.column_mut(1).mapv_inplace(|acted| !acted);
        for learned in [learned.clone(), concatenate![Axis(1), learned, learned]] {
            let found = interaction_f1(learned.view(), truth.view()).unwrap();
            assert_eq!(found.mean, 1.0);
            let told: Vec<Told> = found.factors.into_iter().flatten().collect();
            assert_eq!(told.iter().map(|told| told.latent).collect::<Vec<_>>(), [1, 2, 0]);
            assert_eq!(
                told.iter().map(|told| told.flipped).collect::<Vec<_>>(),
                [true, false, false]
            );
        }
    }

    #[test]
    fn as_many_latents_as_factors_are_shared_out_and_others_are_not() {
        let truth = truth(2);
        // Both are acted on together at most of the steps, so latent 0 tells best of both.
        let mut alike = truth.clone();
        let first = truth.column(0).to_owned();
        alike.column_mut(1).assign(&first);
        alike.row_mut(0).assign(&ndarray::array![true, false]);
        let mut learned = truth.clone();
        learned.column_mut(0).assign(&first);
        let found = interaction_f1(learned.view(), alike.view()).unwrap();
        let latents: Vec<usize> = found.factors.iter().flatten().map(|told| told.latent).collect();
        assert_eq!(latents.iter().sum::<usize>(), 1, "{latents:?}");
        let more = concatenate![Axis(1), learned, learned];
        let found = interaction_f1(more.view(), alike.view()).unwrap();
        assert!(found.factors.iter().flatten().all(|told| told.latent == 0), "{found:?}");
        assert!(found.mean > 0.99);
    }

    #[test]
    fn a_latent_that_never_changes_has_the_constant_f1() {
        let truth = truth(2);
        let learned = Array2::from_elem((600, 1), false);
        let found = interaction_f1(learned.view(), truth.view()).unwrap();
        for told in found.factors.into_iter().flatten() {
            assert!(told.flipped && told.f1 == told.constant);
            assert!((told.f1 - 0.5).abs() < 0.05, "{told:?}");
        }
    }

    #[test]
    fn a_factor_that_is_never_acted_on_is_left_out() {
        let mut truth = truth(2);
        let learned = truth.clone();
        truth.column_mut(1).fill(false);
        let found = interaction_f1(learned.view(), truth.view()).unwrap();
        assert_eq!((found.mean, found.factors[1]), (1.0, None));
        truth.fill(false);
        let error = interaction_f1(learned.view(), truth.view()).unwrap_err();
        assert!(matches!(error, Error::Missing(_)), "{error}");
        let short = learned.slice_axis(Axis(0), (..5).into());
        assert!(matches!(interaction_f1(short, truth.view()), Err(Error::Array(_))));
    }
}
