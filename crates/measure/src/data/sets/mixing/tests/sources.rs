use super::*;
use crate::data::sets::mixing::choices::Prior;
use crate::stats::correlation::spearman;

/// All means but those of the first source.
fn other_means(modulation: &Modulation) -> Vec<f64> {
    modulation.mean.columns().into_iter().skip(1).flatten().copied().collect()
}

#[test]
fn the_spread_of_a_source_in_a_segment_is_its_modulation() {
    for (given, bounds, kurtosis) in [
        ("", 0.5..3.0, 3.0),
        ("generator = 'tcl'\nsources = 5", 0.0..1.0, 6.0),
        ("prior = 'hyperbolic-secant'\nuncentered = true", 0.5..3.0, 5.0),
    ] {
        let given = format!("{given}\nsegments = 8\npoints = 20_000\nlayers = 1");
        let (_, sources) = both(&given);
        let Modulation { spread: spreads, mean } = of(&given).0;
        assert!(spreads.iter().all(|spread| bounds.contains(spread)));
        // The standard error of a deviation is sd √((kurtosis - 1) / 4n); five of them.
        let tolerance = 5.0 * ((kurtosis - 1.0) / (4.0 * 20_000.0_f64)).sqrt();
        for ((segment, source), expected) in spreads.indexed_iter() {
            let (found_mean, found) = spread(&piece(&sources, 20_000, segment, source));
            assert!((found / expected - 1.0).abs() < tolerance, "{given}: {found}, {expected}");
            let shift = (found_mean - mean[[segment, source]]).abs();
            assert!(shift < 5.0 * expected / 20_000_f64.sqrt(), "{given}: {found_mean}");
        }
    }
}

#[test]
fn noise_has_unit_variance_and_the_tails_of_its_kind() {
    // Fourth moments of unit variance: 3, 6 and 5.
    for (prior, fourth) in
        [(Prior::Gaussian, 3.0), (Prior::Laplace, 6.0), (Prior::HyperbolicSecant, 5.0)]
    {
        let one = Modulation { spread: Array2::ones((1, 1)), mean: Array2::zeros((1, 1)) };
        let mut draws = vec![0.0; 400_000];
        one.fill(0, prior, &mut Rng::new(1), &mut draws);
        let moment = |power: i32| {
            draws.iter().map(|draw| f64::from(*draw).powi(power)).sum::<f64>() / 400_000.0
        };
        assert!(draws.iter().all(|draw| draw.is_finite()));
        assert!(moment(1).abs() < 0.01, "{prior:?}: mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "{prior:?}: variance {}", moment(2));
        assert!((moment(4) / fourth - 1.0).abs() < 0.08, "{prior:?}: fourth {}", moment(4));
    }
}

#[test]
fn a_staircase_keeps_its_source() {
    let linear = "staircase = true\nlayers = 1\nsegments = 6\npoints = 500";
    let (observed, sources) = both(linear);
    assert_eq!(observed.column(0), sources.column(0));
    let modulation = of(linear).0;
    let mut stairs = modulation.mean.column(0).to_vec();
    assert!(!stairs.is_sorted(), "the order is random: {stairs:?}");
    stairs.sort_by(f64::total_cmp);
    assert_eq!(stairs, [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]);
    assert!(other_means(&modulation).iter().all(|mean| *mean == 0.0));

    // Through curves its order is kept, for either generator, repeated or not, and wide.
    for given in ["", "repeat = false", "generator = 'tcl'\nwhiten = false", "observed = 12"] {
        let given = format!(
            "{given}\nstaircase = true\nsources = 5\nsegments = 6\npoints = 500\nlayers = 3"
        );
        let (observed, sources) = both(&given);
        let kept = spearman(observed.view(), sources.view())[[0, 0]];
        assert!(kept > 0.999_999, "{given}: {kept}");
    }
    let uncentered = other_means(&of("staircase = true\nuncentered = true").0);
    assert!(uncentered.iter().all(|mean| mean.abs() <= 1.0 && *mean != 0.0));
}

#[test]
fn noise_is_added_and_discrete_data_are_ones_and_zeros() {
    let small = "segments = 4\npoints = 5000";
    let (clean, _) = both(small);
    let (noisy, _) = both(&format!("{small}\nnoisy = 0.5"));
    let (mean, sd) = spread((noisy - &clean).as_slice().unwrap());
    assert!(mean.abs() < 0.02 && (sd - 0.5).abs() < 0.02, "{mean} {sd}");

    let given = format!("{small}\ndiscrete = true");
    assert_eq!(data(&given).shape().range, Range::Binary);
    let (bits, _) = both(&given);
    assert!(bits.iter().all(|bit| *bit == 0.0 || *bit == 1.0));
    // As many ones as the probabilities add up to.
    let sum: f32 = clean.iter().map(|x| 1.0 / (1.0 + (-x).exp())).sum();
    assert!((bits.sum() / sum - 1.0).abs() < 0.01, "{} {sum}", bits.sum());
    // And where they are large.
    let ones = bits.iter().zip(&clean).filter(|(bit, x)| **bit == 1.0 && **x > 2.0).count();
    let large = clean.iter().filter(|x| **x > 2.0).count();
    assert!(ones as f64 > 0.85 * large as f64, "{ones} of {large}");
}
