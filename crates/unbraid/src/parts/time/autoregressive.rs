//! The autoregressive transition prior of CITRIS: within the latents of one target each may depend on those
//! before it, so that a variable of several numbers (an angle, a position in the plane) need not be
//! independent in them.
//!
//! ```text
//! p(z^{t+1} | z^t, I) = Π_i Π_{j ∈ ψ_i} p(z_j | z_k with k < j in ψ_i, z^t, I_i)
//! h = (context(z^t) + told(I_i) + before([z ∘ m_i, 2 m_i − 1])) / 2,   N(mean_j, deviation_j) = net_j(h)
//! ```
//!
//! m_i marks the drawn latents of target i. Every latent is evaluated once per target and weighted by the
//! probability of that assignment; each share outside ψ₀ costs λ / m. Under perfect interventions the context of
//! an intervened target is left out. The released code mixes up the columns of ψ₀ when λ > 0; here it is the last one throughout.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use super::assignment::Assignment;
use super::masked::{Form, Masked};
use super::transition::{Cost, one_hot};
use crate::compute::{Activation, activated};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::Dense;

/// Hidden units per latent.
const HIDDEN: usize = 16;

/// The prior.
#[derive(Module, Debug)]
pub struct Autoregressive {
    context: Dense,
    told: Dense,
    before: Masked,
    hidden: Masked,
    out: Masked,
    #[module(skip)]
    perfect: bool,
    #[module(skip)]
    lambda: f64,
}

impl Autoregressive {
    /// With seeded weights. Where interventions are `perfect`, an intervened latent does not see z^t.
    pub fn new(
        [latents, targets]: [usize; 2],
        perfect: bool,
        lambda: f64,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let form = |input, output, own| Form { variables: latents, input, output, own };
        let wide = latents * HIDDEN;
        Self {
            context: Dense::new([latents, wide], Activation::None, rng, device),
            told: Dense::new([targets + 1, wide], Activation::None, rng, device),
            before: Masked::new(form(2, HIDDEN, false), Activation::None, rng, device),
            hidden: Masked::new(form(HIDDEN, HIDDEN, true), Activation::Silu, rng, device),
            out: Masked::output(form(HIDDEN, 2, true), rng, device),
            perfect,
            lambda,
        }
    }

    /// Each latent if it were of target `k` (of ψ₀ after the last): given z^t, targets `[rows, K]`, and z^{t+1}
    /// where `members` `[rows, latents]` is 1.
    fn of_target(
        &self,
        k: usize,
        context: &Tensor<2>,
        targets: &Tensor<2>,
        after: &Tensor<2>,
        members: Tensor<2>,
    ) -> Gaussian {
        let [rows, latents] = after.dims();
        let count = targets.dims()[1];
        // I_k in its place, 0 for ψ₀, −1 elsewhere.
        let unseen = Tensor::full([rows, count + 1], -1.0, &after.device());
        let own = match k < count {
            true => targets.clone().narrow(1, k, 1),
            false => Tensor::zeros([rows, 1], &after.device()),
        };
        let told = unseen.slice_assign([0..rows, k..k + 1], own.clone());
        let context = match self.perfect {
            true => context.clone() * (own * -1.0 + 1.0),
            false => context.clone(),
        };
        let both = vec![
            (after.clone() * members.clone()).unsqueeze_dim::<3>(2),
            (members * 2.0 - 1.0).unsqueeze_dim(2),
        ];
        let seen = Tensor::cat(both, 2).reshape([rows, 2 * latents]);
        let h = (context + self.told.forward(told) + self.before.forward(seen)) * 0.5;
        let h = self.hidden.forward(activated(h, Activation::Silu));
        let out = self.out.forward(h).reshape([rows, latents, 2]);
        let of = |which| out.clone().narrow(2, which, 1).squeeze_dim::<2>(2);
        Gaussian { mean: of(0), log_variance: of(1) * 2.0 }
    }

    /// Of transitions with targets `[rows, K]`, latents before and after `[rows, latents]`, and drawn
    /// assignments `[rows, latents, K + 1]`.
    pub fn cost(
        &self,
        [before, after]: [Tensor<2>; 2],
        targets: Tensor<2>,
        psi: &Assignment,
        drawn: Tensor<3>,
    ) -> Cost {
        let count = targets.dims()[1];
        let probabilities = psi.probabilities();
        let context = self.context.forward(before);
        let of = |k: usize| {
            let members = drawn.clone().narrow(2, k, 1).squeeze_dim::<2>(2);
            let p = self.of_target(k, &context, &targets, &after, members);
            p.log_density(&after) * -1.0 * probabilities.clone().narrow(1, k, 1).transpose()
        };
        let nll = (1..=count).fold(of(0), |sum, k| sum + of(k));
        let outside = probabilities.narrow(1, count, 1) * -1.0 + 1.0;
        Cost { nll, beside: outside.mean() * self.lambda }
    }

    /// The latents after a step with the latents given to these targets: each is its mean, given the means of
    /// those before it.
    pub fn next(
        &self,
        before: Tensor<2>,
        targets: Tensor<2>,
        choices: &[Option<usize>],
    ) -> Tensor<2> {
        let (rows, count) = (before.dims()[0], targets.dims()[1]);
        let chosen = one_hot(choices, count, &before.device());
        let context = self.context.forward(before.clone());
        let mut after = before.zeros_like();
        for (latent, choice) in choices.iter().enumerate() {
            let k = choice.unwrap_or(count);
            let members = chosen.clone().narrow(1, k, 1).transpose().repeat_dim(0, rows);
            let p = self.of_target(k, &context, &targets, &after, members);
            let mean = p.mean.narrow(1, latent, 1);
            after = after.slice_assign([0..rows, latent..latent + 1], mean);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::{Step, batch};

    const LATENTS: usize = 4;

    fn prior(perfect: bool) -> Autoregressive {
        Autoregressive::new([LATENTS, 2], perfect, 0.0, &mut Rng::new(3), &device::training())
    }

    fn row(numbers: &[f32]) -> Tensor<2> {
        batch::matrix(numbers, 1, numbers.len(), &device::training())
    }

    fn nll(z: [[f32; LATENTS]; 2], targets: [f32; 2], perfect: bool) -> Vec<f32> {
        let choices = [Some(0), Some(0), Some(1), Some(0)];
        let psi = Assignment::sure(&choices, 2, &device::training());
        let drawn = psi.sample(1, &mut Step::new(0, 1, &Rng::new(0)));
        let [before, after] = z.map(|row_| row(&row_));
        batch::numbers(prior(perfect).cost([before, after], row(&targets), &psi, drawn).nll)
    }

    #[test]
    fn a_latent_sees_those_before_it_of_its_own_target_and_no_others() {
        let z = [[0.3, -0.2, 0.5, 0.1], [0.4, 0.2, -0.6, 0.9]];
        let usual = nll(z, [0.0; 2], false);
        for (moved, seeing) in [(0, vec![0, 1, 3]), (1, vec![1, 3]), (2, vec![2]), (3, vec![3])] {
            let mut other = z;
            other[1][moved] += 1.0;
            let found = nll(other, [0.0; 2], false);
            let changed: Vec<usize> =
                (0..LATENTS).filter(|k| (found[*k] - usual[*k]).abs() > 1e-6).collect();
            assert_eq!(changed, seeing, "latent {moved} moved");
        }
    }

    #[test]
    fn an_intervention_reaches_its_own_latents_and_a_perfect_one_cuts_them_from_the_frame_before() {
        let z = [[0.3, -0.2, 0.5, 0.1], [0.4, 0.2, -0.6, 0.9]];
        let mut elsewhere = z;
        elsewhere[0] = [1.3, 0.8, -1.5, 2.1];
        for perfect in [false, true] {
            let (usual, hit) = (nll(z, [0.0; 2], perfect), nll(z, [1.0, 0.0], perfect));
            assert!(usual[2] == hit[2] && usual[1] != hit[1], "{usual:?} {hit:?}");
            let there = nll(elsewhere, [1.0, 0.0], perfect);
            assert!((there[1] == hit[1]) == perfect && there[2] != hit[2], "{hit:?} {there:?}");
        }
    }

    #[test]
    fn the_rest_hears_of_no_target_and_an_undecided_latent_is_weighed() {
        let prior = prior(false);
        let z = [row(&[0.3, -0.2, 0.5, 0.1]), row(&[0.4, 0.2, -0.6, 0.9])];
        let of = |choices: &[Option<usize>], targets: [f32; 2]| {
            let psi = Assignment::sure(choices, 2, &device::training());
            let drawn = psi.sample(1, &mut Step::new(0, 1, &Rng::new(0)));
            batch::numbers(prior.cost(z.clone(), row(&targets), &psi, drawn).nll)
        };
        let choices = [Some(0), None, Some(1), None];
        let (usual, hit) = (of(&choices, [0.0; 2]), of(&choices, [1.0; 2]));
        assert!(usual[1] == hit[1] && usual[3] == hit[3] && usual[2] != hit[2]);
        // Of the last latent alone the rest of the drawn blocks is the same whatever it is of.
        let psi = Assignment::new(LATENTS, 2, true, &device::training());
        let drawn = Assignment::sure(&choices, 2, &device::training());
        let drawn = drawn.sample(1, &mut Step::new(0, 1, &Rng::new(0)));
        let soft = batch::numbers(prior.cost(z.clone(), row(&[0.0; 2]), &psi, drawn).nll);
        let each = [of(&[Some(0), None, Some(1), Some(0)], [0.0; 2])[3], usual[3]];
        let last = of(&[Some(0), None, Some(1), Some(1)], [0.0; 2])[3];
        let mean = (each[0] + each[1] + last) / 3.0;
        assert!((soft[3] - mean).abs() < 1e-5, "{} is not {mean}", soft[3]);
    }

    #[test]
    fn the_next_latents_are_where_their_densities_are_highest() {
        let (prior, targets) = (prior(false), row(&[0.0, 1.0]));
        let before = [0.3, -0.2, 0.5, 0.1];
        let choices = [Some(0), Some(0), Some(1), Some(0)];
        let next = batch::numbers(prior.next(row(&before), targets, &choices));
        let best = nll([before, next.clone().try_into().unwrap()], [0.0, 1.0], false);
        // Only the last of a block: moving an earlier one moves those that see it.
        for latent in [2, 3] {
            for by in [-0.01, 0.01] {
                let mut moved: [f32; LATENTS] = next.clone().try_into().unwrap();
                moved[latent] += by;
                let found = nll([before, moved], [0.0, 1.0], false);
                assert!(found[latent] > best[latent], "latent {latent} moved by {by}");
            }
        }
    }
}
