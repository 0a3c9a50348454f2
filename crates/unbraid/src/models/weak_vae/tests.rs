use super::*;
use crate::compute::device;
use crate::model::batch;

fn gaussian(mean: &[f32], log_variance: &[f32]) -> Gaussian {
    let matrix = |values: &[f32]| batch::matrix(values, 1, values.len(), &device::inference());
    Gaussian { mean: matrix(mean), log_variance: matrix(log_variance) }
}

#[test]
fn what_differs_less_than_half_way_is_shared() {
    let one = gaussian(&[0.0, 1.0, -2.0], &[0.0; 3]);
    let other = gaussian(&[0.1, 1.0, 2.0], &[0.0; 3]);
    for symmetric in [false, true] {
        assert_eq!(batch::numbers(alike(&one, &other, symmetric)), [1.0, 1.0, 0.0]);
    }
    // Equal observations differ equally, by nothing: all is shared.
    assert_eq!(batch::numbers(alike(&one, &one, false)), [1.0, 1.0, 1.0]);
}

#[test]
fn divergence_by_hand_and_its_direction() {
    let one = gaussian(&[1.0], &[0.0]);
    let other = gaussian(&[0.0], &[2f32.ln()]);
    // ½ (1/2 + 1/2 − 1 + ln 2) and ½ (2 + 1 − 1 − ln 2)
    let ln2 = std::f32::consts::LN_2;
    let found = [divergence(&one, &other), divergence(&other, &one)].map(|x| batch::numbers(x)[0]);
    assert!((found[0] - 0.5 * ln2).abs() < 1e-6, "{found:?}");
    assert!((found[1] - 0.5 * (2.0 - ln2)).abs() < 1e-6, "{found:?}");
}

#[test]
fn both_averages_agree_for_equal_variances_and_lean_to_the_certain_one_otherwise() {
    let (one, other) = (gaussian(&[1.0], &[0.4]), gaussian(&[3.0], &[0.4]));
    for kind in [Average::Group, Average::Product] {
        let found = average(&one, &other, kind);
        let found = [found.mean, found.log_variance].map(|x| batch::numbers(x)[0]);
        assert!((found[0] - 2.0).abs() < 1e-6 && (found[1] - 0.4).abs() < 1e-6, "{found:?}");
    }
    let certain = gaussian(&[1.0], &[-8.0]);
    let leaning = batch::numbers(average(&certain, &other, Average::Product).mean)[0];
    assert!(leaning < 1.01, "{leaning}");
}

#[test]
fn known_changes_leave_the_latents_of_other_factors_shared() {
    let changed = || batch::matrix(&[0.0, 1.0, 0.0], 1, 3, &device::inference());
    assert_eq!(batch::numbers(unchanged(changed(), 5)), [1.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(batch::numbers(unchanged(changed(), 2)), [1.0, 0.0]);
}

#[test]
fn a_shared_latent_takes_the_average_and_another_keeps_its_own() {
    let (own, average) = (gaussian(&[1.0, 5.0], &[0.0, 1.0]), gaussian(&[2.0, 9.0], &[0.5, 2.0]));
    let shared = batch::matrix(&[1.0, 0.0], 1, 2, &device::inference());
    let found = choose(&shared, &average, &own);
    assert_eq!(batch::numbers(found.mean), [2.0, 5.0]);
    assert_eq!(batch::numbers(found.log_variance), [0.5, 1.0]);
}
