use super::*;
use crate::compute::device;
use crate::model::{Step, batch};

const LATENTS: usize = 3;
const TARGETS: usize = 2;

fn prior(interventions: Interventions) -> Transition {
    let sizes = [LATENTS, TARGETS, 4];
    Transition::new(sizes, interventions, 0.0, &mut Rng::new(0), &device::training())
}

fn rows(count: usize, seed: u64) -> Tensor<2> {
    let mut numbers = vec![0.0; count * LATENTS];
    Rng::new(seed).fill_normal(&mut numbers);
    batch::matrix(&numbers, count, LATENTS, &device::training())
}

fn targets(rows: &[[f32; TARGETS]]) -> Tensor<2> {
    batch::matrix(&rows.concat(), rows.len(), TARGETS, &device::training())
}

/// Latent 0 has target 0, latent 1 target 1, latent 2 none; as sure as can be.
fn decided() -> Assignment {
    Assignment::sure(&[Some(0), Some(1), None], TARGETS, &device::training())
}

fn close(found: Tensor<2>, expected: Tensor<2>) {
    for (found, expected) in batch::numbers(found).into_iter().zip(batch::numbers(expected)) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }
}

#[test]
fn without_interventions_all_follow_the_frame_before() {
    let (prior, psi) = (prior(Interventions::Perfect), decided());
    let z = [rows(4, 1), rows(4, 2)];
    let drawn = psi.sample(4, &mut Step::new(0, 1, &Rng::new(0)));
    let cost = prior.cost(z.clone(), targets(&[[0.0; 2]; 4]), &psi, drawn);
    let followed = prior.followed(z[0].clone(), None);
    close(cost.nll, nll(&followed, &z[1]));
    assert!(cost.beside.into_scalar::<f32>().abs() < 1e-6);
}

#[test]
fn an_intervened_latent_follows_its_own_gaussian_and_the_others_go_on() {
    goes_on(Interventions::Perfect);
    goes_on(Interventions::Relative);
}

fn goes_on(interventions: Interventions) {
    let (prior, psi) = (prior(interventions), decided());
    let z = [rows(1, 1), rows(1, 2)];
    let drawn = psi.sample(1, &mut Step::new(0, 1, &Rng::new(0)));
    let cost = prior.cost(z.clone(), targets(&[[1.0, 0.0]]), &psi, drawn);
    let usual = nll(&prior.followed(z[0].clone(), None), &z[1]);
    let observed = prior.followed(z[0].clone(), None);
    let own = intervened(prior.intervened.val(), &z[0], &observed).nll(z[1].clone());
    let expected = Tensor::cat(
        vec![own.narrow(1, 0, 1).narrow(2, 0, 1).squeeze_dim::<2>(2), usual.narrow(1, 1, 2)],
        1,
    );
    close(cost.nll, expected.clone());
    let next = prior.next(z[0].clone(), targets(&[[1.0, 0.0]]), &psi.choices());
    close(nll(&next, &z[1]), expected);
}

#[test]
fn an_imperfect_intervention_is_told_to_its_own_latents_alone() {
    let prior = prior(Interventions::Imperfect);
    let choices = [Some(0), Some(1), None];
    let z = rows(1, 1);
    let mean =
        |row: [f32; 2]| batch::numbers(prior.next(z.clone(), targets(&[row]), &choices).mean);
    let (usual, first) = (mean([0.0, 0.0]), mean([1.0, 0.0]));
    assert!((usual[0] - first[0]).abs() > 1e-6 && usual[1..] == first[1..]);
}

#[test]
fn intervened_gaussians_learn_from_all_rows_of_their_target() {
    let (prior, psi) = (prior(Interventions::Perfect), decided());
    let z = [rows(8, 1), rows(8, 2)];
    let drawn = psi.sample(8, &mut Step::new(0, 1, &Rng::new(0)));
    let cost = prior.cost(z, targets(&[[1.0, 0.0]; 8]), &psi, drawn);
    let gradients = (cost.nll.sum() + cost.beside).backward();
    let gradient = batch::numbers(prior.intervened.grad(&gradients).unwrap());
    // [latents, targets, 2]: those of target 0 for every latent, those of target 1 for none.
    for latent in gradient.chunks(2 * TARGETS) {
        assert!(latent[..2].iter().all(|entry| *entry != 0.0) && latent[2..] == [0.0, 0.0]);
    }
}

#[test]
fn a_relative_intervention_starts_as_the_mechanism_and_can_lead_away_from_it() {
    let prior = prior(Interventions::Relative);
    let z = [rows(2, 1), rows(2, 2)];
    let observed = prior.followed(z[0].clone(), None);
    let usual = nll(&observed, &z[1]);
    let under = |numbers: [f32; 4]| {
        let table = TensorData::new(numbers.repeat(LATENTS * TARGETS), [LATENTS, TARGETS, 4]);
        let table = Tensor::from_data(table, &device::training());
        intervened(table, &z[0], &observed).nll(z[1].clone()).narrow(2, 1, 1).squeeze_dim::<2>(2)
    };
    close(under([0.7, 0.3, 0.0, 0.0]), usual);
    // All the way: N(a + b z, deviation exp(d)).
    let led = Gaussian {
        mean: z[0].clone() * 0.3 + 0.7,
        log_variance: observed.log_variance.clone() + 1.0,
    };
    close(under([0.7, 0.3, 1.0, 0.5]), nll(&led, &z[1]));
}
