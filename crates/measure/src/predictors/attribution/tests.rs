use super::*;
use crate::rng::Rng;
use ndarray::Array2;

/// Two causes a and b, an effect c of both. Four bars of pixels: a alone, b alone, c alone, noise.
fn example(rows: usize) -> (Array2<f32>, Array2<f32>, [usize; 3]) {
    let shape = [1, 4, 8];
    let mut rng = Rng::new(1);
    let mut labels = Array2::zeros((rows, 3));
    let mut images = Array2::zeros((rows, 32));
    for row in 0..rows {
        let (a, b) = (rng.uniform() as f32, rng.uniform() as f32);
        let c = a + b;
        labels.row_mut(row).assign(&ndarray::array![a, b, c]);
        for x in 0..8 {
            images[[row, x]] = (3.0 * a + x as f32 * 0.3).sin();
            images[[row, 8 + x]] = b * b;
            images[[row, 16 + x]] = (4.0 * c).cos();
            images[[row, 24 + x]] = rng.uniform() as f32;
        }
    }
    (images, labels, shape)
}

#[test]
fn every_bar_is_drawn_by_what_explains_it() {
    let (images, labels, shape) = example(1500);
    let graph = Graph::new(["a", "b", "c"], &[(0, 2), (1, 2)]).unwrap();
    let parts = attribute(&images, &labels, &graph, shape);
    let set = |number: usize| parts.sets[parts.of_number[number]].clone();
    for x in 0..8 {
        assert_eq!(set(x), [0]);
        assert_eq!(set(8 + x), [1]);
        // From a and b together it could be drawn as well.
        assert_eq!(set(16 + x), [2]);
        assert_eq!(set(24 + x), [0, 1, 2]);
    }
}

#[test]
fn background_goes_to_its_neighbour_and_vectors_are_taken_number_by_number() {
    let (images, labels, _) = example(400);
    let mut pair = Array2::zeros((400, 2));
    pair.column_mut(0).assign(&images.column(8));
    let shape = [2, 1, 1];
    let graph = Graph::new(["a", "b", "c"], &[]).unwrap();
    let parts = attribute(&pair, &labels, &graph, shape);
    assert_eq!(parts, Parts { sets: vec![vec![1]], of_number: vec![0, 0] });
}

#[test]
fn nothing_that_varies_is_one_part_of_everything() {
    let (_, labels, shape) = example(60);
    let graph = Graph::new(["a", "b", "c"], &[]).unwrap();
    let parts = attribute(&Array2::zeros((60, 32)), &labels, &graph, shape);
    assert_eq!(parts.sets, [[0, 1, 2]]);
}
