use super::*;
use crate::stats::assignment;

/// Three sources in eight segments, through two layers with a bend between them.
fn mixed(rows: usize) -> (Array2<f32>, Array2<f32>, Vec<usize>) {
    let mut rng = Rng::new(1);
    let segments: Vec<usize> = (0..rows).map(|row| row * 8 / rows).collect();
    let scales: Vec<[f32; 3]> =
        (0..8).map(|_| [0, 1, 2].map(|_| 0.3 + 2.5 * rng.uniform() as f32)).collect();
    let sources =
        Array2::from_shape_fn((rows, 3), |(row, i)| scales[segments[row]][i] * rng.normal());
    let layers = Layers::random(2, 3, &mut Rng::new(2));
    let x = by_unit(sources.view(), |sources| layers.observed(sources));
    (x, sources, segments)
}

const OPTIONS: Options = Options {
    sources: 3,
    layers: 2,
    starts: 2,
    steps: 150,
    points: 60,
    refinement: 50,
    prior: Prior::Gaussian,
};

#[test]
fn the_gradient_is_that_of_differences() {
    let (x, _, segments) = mixed(64);
    let segments = Segments::new(&x, &segments, usize::MAX).unwrap();
    let mut layers = Layers::random(3, 3, &mut Rng::new(3));
    layers.numbers.iter_mut().enumerate().for_each(|(k, x)| *x += 0.05 * (k as f64).cos());
    for prior in [Prior::Gaussian, Prior::Laplace] {
        let mut gradient = vec![0.0; layers.numbers.len()];
        segments.slope(&layers, prior, &mut gradient);
        for (k, expected) in gradient.iter().enumerate() {
            let at = |step: f64| {
                let mut moved = layers.clone();
                moved.numbers[k] += step;
                segments.objective(&moved, prior)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            let off = (slope - expected).abs();
            assert!(off < 1e-5 * slope.abs().max(1.0), "{prior:?} {k}: {slope} {expected}");
        }
    }
}

#[test]
fn sources_of_a_bent_mixture_are_found_and_decoded_back() {
    let (x, sources, segments) = mixed(1600);
    let flow =
        SegmentFlow::fit(x.view(), &segments, OPTIONS, &Rng::new(0), &Stage::unwatched()).unwrap();
    let codes = flow.encode(x.view());
    let correlation = crate::stats::correlation::pearson(codes.view(), sources.view());
    let sizes = correlation.mapv(f64::abs);
    let matched = assignment::best_matching(sizes.view());
    let mean = matched.iter().map(|&(i, j)| sizes[[i, j]]).sum::<f64>() / 3.0;
    assert!(mean > 0.97, "{mean}: {sizes}");
    let back = flow.decode(codes.view());
    assert!((&back - &x).iter().all(|off| off.abs() < 1e-3));
}

#[test]
fn one_segment_and_lone_rows_are_refused() {
    let (x, _, _) = mixed(64);
    let refuse = |segments: Vec<usize>| {
        let fit = SegmentFlow::fit(x.view(), &segments, OPTIONS, &Rng::new(0), &Stage::unwatched());
        fit.unwrap_err().to_string()
    };
    assert!(refuse(vec![0; 64]).contains("all rows are in one segment"));
    assert!(refuse((0..64).map(|row| usize::from(row == 5)).collect()).contains("has one row"));
}
