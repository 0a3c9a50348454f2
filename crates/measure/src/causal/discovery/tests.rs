use super::*;
use ndarray::Array2;

/// Rows of which each column is a function of those before it and of noise.
fn draw<const D: usize>(
    rows: usize,
    seed: u64,
    mut row: impl FnMut(&mut Rng) -> [f32; D],
) -> Array2<f32> {
    let mut rng = Rng::new(seed);
    let mut labels = Array2::zeros((rows, D));
    for mut to in labels.rows_mut() {
        to.iter_mut().zip(row(&mut rng)).for_each(|(to, value)| *to = value);
    }
    labels
}

fn found(labels: &Array2<f32>, seed: u64) -> Vec<[usize; 2]> {
    let found = discover(labels.view(), &Rng::new(seed)).unwrap();
    assert!(found.edges.iter().all(|edge| (0.0..=1.0).contains(&edge.strength)), "{found:?}");
    found.edges.iter().map(|edge| [edge.cause, edge.effect]).collect()
}

#[test]
fn independent_columns_have_no_edges() {
    for seed in 0..5 {
        let labels =
            draw(2000, seed, |rng| [rng.normal(), rng.below(3) as f32, rng.normal().exp()]);
        let found = discover(labels.view(), &Rng::new(seed)).unwrap();
        assert_eq!(found.edges, []);
        assert_eq!(found.separations.len(), 3);
        assert!(found.separations.iter().all(|apart| apart.given.is_empty()));
    }
}

#[test]
fn a_bent_chain_is_found_with_its_directions_by_additive_noise() {
    // Columns out of order, so that a guess by order is wrong.
    for seed in 0..3 {
        let labels = draw(4000, seed, |rng| {
            let x = rng.normal();
            let y = (1.5 * x).tanh() * 2.0 + 0.5 * rng.normal();
            let z = y + 0.4 * y * y * y.signum() + 0.7 * rng.normal();
            [z, y, x]
        });
        let found = discover(labels.view(), &Rng::new(seed)).unwrap();
        let edges: Vec<_> = found.edges.iter().map(|edge| [edge.cause, edge.effect]).collect();
        assert_eq!(edges, [[1, 0], [2, 1]], "{found:?}");
        assert_eq!(found.separations[0].given, [1]);
    }
}

#[test]
fn a_fork_is_found() {
    for seed in 0..3 {
        let labels = draw(4000, seed, |rng| {
            let x = 4.0 * rng.uniform() as f32 - 2.0;
            [(2.0 * x).sin() + x + 0.3 * rng.normal(), x, x * x * x / 4.0 + 0.5 * rng.normal()]
        });
        assert_eq!(found(&labels, seed), [[1, 0], [1, 2]]);
    }
}

#[test]
fn a_collider_is_directed_without_noise_to_go_by() {
    let labels = draw(3000, 0, |rng| {
        let (a, b) = (rng.below(7) as f32, rng.normal());
        [a * b + 4.0 * b + a, a, b]
    });
    let found = discover(labels.view(), &Rng::new(0)).unwrap();
    let edges: Vec<_> = found.edges.iter().map(|edge| [edge.cause, edge.effect]).collect();
    assert_eq!(edges, [[1, 0], [2, 0]]);
    assert_eq!(found.edges[0].principle, Principle::Collider { with: 2, given: vec![] });
    assert_eq!(found.separations.len(), 1);
}

#[test]
fn straight_lines_with_gaussian_noise_are_said_to_be_undecided() {
    let labels = draw(4000, 0, |rng| {
        let x = rng.normal();
        [x + rng.normal(), x]
    });
    let found = discover(labels.view(), &Rng::new(0)).unwrap();
    assert_eq!(found.edges.len(), 1);
    assert_eq!((found.edges[0].cause, &found.edges[0].principle), (0, &Principle::Undecided));
    assert!((found.edges[0].strength - 0.5).abs() < 0.05);
}

#[test]
fn random_graphs_of_bent_causes_are_found_but_for_one_edge() {
    for seed in 0..4 {
        let mut rng = Rng::new(100 + seed);
        let order = rng.permutation(5);
        let mut truth = Array2::from_elem((5, 5), false);
        for effect in 1..5 {
            for cause in 0..effect {
                truth[[order[cause], order[effect]]] = rng.below(5) < 2;
            }
        }
        let labels = draw(4000, seed, |rng| {
            let mut row = [0.0; 5];
            for &node in &order {
                let causes = (0..5).filter(|&cause| truth[[cause, node]]);
                // Bent enough for additive noise to tell: straight lines would be undecided.
                let bent = |x: f32| 2.0 * (1.5 * x).sin();
                row[node] = causes.map(|cause| bent(row[cause])).sum::<f32>() + 0.5 * rng.normal();
            }
            row
        });
        let found = found(&labels, seed);
        let learned = Array2::from_shape_fn((5, 5), |(i, j)| found.contains(&[i, j]));
        let distance =
            crate::causal::graph_distance::GraphDistance::between(learned.view(), truth.view())
                .unwrap();
        assert!(distance.hamming() <= 1, "seed {seed}: {distance:?} {found:?} {truth}");
    }
}

#[test]
fn a_copy_has_one_edge_and_one_of_the_two_speaks_for_both() {
    let labels = draw(1000, 0, |rng| {
        let x = rng.normal();
        [x, x, x * x + 0.3 * rng.normal()]
    });
    let found = discover(labels.view(), &Rng::new(0)).unwrap();
    let between = |a: usize, b: usize| {
        found
            .edges
            .iter()
            .filter(|e| [e.cause, e.effect] == [a, b] || [e.effect, e.cause] == [a, b])
            .count()
    };
    assert_eq!(between(0, 1), 1, "{found:?}");
    assert_eq!(between(0, 2) + between(1, 2), 1, "{found:?}");
}

#[test]
fn a_constant_column_stands_alone_and_few_rows_or_gaps_are_refused() {
    let labels = draw(200, 0, |rng| {
        let x = rng.normal();
        [3.1, x, x + 0.1 * rng.normal()]
    });
    let edges = discover(labels.view(), &Rng::new(0)).unwrap();
    assert_eq!(edges.edges.len(), 1);
    assert!(edges.separations.iter().all(|apart| apart.gain.is_finite()));
    let short = labels.slice_axis(ndarray::Axis(0), (..49).into());
    let error = discover(short, &Rng::new(0)).unwrap_err().to_string();
    assert!(error.contains("49 rows are too few"), "{error}");
    let mut gap = labels.clone();
    gap[[7, 1]] = f32::NAN;
    let error = discover(gap.view(), &Rng::new(0)).unwrap_err().to_string();
    assert!(error.contains("column 1 of the labels is NaN in row 7"), "{error}");
}

#[test]
fn the_scale_and_the_sign_of_a_column_do_not_matter() {
    let labels = draw(1500, 4, |rng| {
        let (a, b) = (rng.normal(), rng.normal());
        [a, b, (a + b).tanh() + 0.2 * rng.normal()]
    });
    let scaled = &labels * &ndarray::arr1(&[1000.0, -1e-3, 5.0]) - 7.0;
    assert_eq!(found(&labels, 0), found(&scaled, 0));
}
