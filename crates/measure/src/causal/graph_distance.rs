//! How far one directed graph is from another, edge by edge.

use ndarray::ArrayView2;

use crate::error::{Error, Result};

/// What differs between a learned graph and the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphDistance {
    /// Edges of both graphs.
    pub shared: usize,
    /// True edges that were not learned in either direction.
    pub missing: usize,
    /// Learned edges that are not true, in either direction, or not beside the true one.
    pub extra: usize,
    /// True edges that were learned the other way round, and only that way.
    pub reversed: usize,
}

impl GraphDistance {
    /// Compare two matrices `[cause, effect]`; an edge from a node to itself is ignored.
    pub fn between(learned: ArrayView2<bool>, truth: ArrayView2<bool>) -> Result<Self> {
        if !learned.is_square() || learned.dim() != truth.dim() {
            return Err(Error::Array(format!(
                "the learned graph is {:?} and the true one {:?}; both must be [nodes, nodes], \
                 with the nodes in the same order",
                learned.dim(),
                truth.dim()
            )));
        }
        let mut distance = Self::default();
        for one in 0..truth.nrows() {
            for other in one + 1..truth.nrows() {
                let directions =
                    |graph: &ArrayView2<bool>| [graph[[one, other]], graph[[other, one]]];
                distance.count(directions(&learned), directions(&truth));
            }
        }
        Ok(distance)
    }

    /// One pair of nodes, both directions.
    fn count(&mut self, learned: [bool; 2], truth: [bool; 2]) {
        if learned[0] != learned[1] && learned[0] == truth[1] && learned[1] == truth[0] {
            self.reversed += 1;
            return;
        }
        for (learned, truth) in learned.into_iter().zip(truth) {
            self.shared += usize::from(learned && truth);
            self.missing += usize::from(truth && !learned);
            self.extra += usize::from(learned && !truth);
        }
    }

    /// The structural Hamming distance: how many edges must be added, removed or turned round.
    pub fn hamming(&self) -> usize {
        self.missing + self.extra + self.reversed
    }

    /// The share of learned edges that are true.
    pub fn precision(&self) -> f64 {
        self.share(self.shared, self.shared + self.extra + self.reversed)
    }

    /// The share of true edges that were learned.
    pub fn recall(&self) -> f64 {
        self.share(self.shared, self.shared + self.missing + self.reversed)
    }

    /// The harmonic mean of precision and recall: 2 shared / (learned edges + true edges).
    pub fn f1(&self) -> f64 {
        let edges = 2 * (self.shared + self.reversed) + self.missing + self.extra;
        self.share(2 * self.shared, edges)
    }

    /// 0 / 0 is 1 if neither graph has an edge, as nothing is wrong then, and 0 otherwise.
    fn share(&self, part: usize, whole: usize) -> f64 {
        match whole {
            0 => f64::from(u8::from(self.hamming() == 0)),
            _ => part as f64 / whole as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn graph(edges: &[(usize, usize)]) -> Array2<bool> {
        Array2::from_shape_fn((4, 4), |edge| edges.contains(&edge))
    }

    fn distance(learned: &[(usize, usize)], truth: &[(usize, usize)]) -> GraphDistance {
        GraphDistance::between(graph(learned).view(), graph(truth).view()).unwrap()
    }

    #[test]
    fn each_kind_of_error_counts_once_and_loops_do_not_count() {
        // 0 -> 1 is shared, 1 -> 2 turned round, 2 -> 3 missing, 0 -> 3 extra.
        let found = distance(&[(0, 1), (2, 1), (0, 3), (2, 2)], &[(0, 1), (1, 2), (2, 3), (1, 1)]);
        assert_eq!(found, GraphDistance { shared: 1, missing: 1, extra: 1, reversed: 1 });
        assert_eq!(found.hamming(), 3);
        assert!((found.precision() - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.recall() - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.f1() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_edge_learned_in_both_directions_is_one_right_and_one_extra() {
        let found = distance(&[(0, 1), (1, 0)], &[(1, 0)]);
        assert_eq!(found, GraphDistance { shared: 1, extra: 1, ..GraphDistance::default() });
        assert_eq!((found.precision(), found.recall()), (0.5, 1.0));
        assert!((found.f1() - 2.0 / 3.0).abs() < 1e-12);
        // Neither direction is true: both must go.
        assert_eq!(distance(&[(0, 1), (1, 0)], &[]).hamming(), 2);
    }

    #[test]
    fn shares_of_nothing_are_one_only_if_nothing_is_wrong() {
        let shares = |found: GraphDistance| [found.precision(), found.recall(), found.f1()];
        assert_eq!(shares(distance(&[], &[])), [1.0; 3]);
        assert_eq!(shares(distance(&[], &[(0, 1)])), [0.0; 3]);
        assert_eq!(shares(distance(&[(0, 1)], &[])), [0.0; 3]);
    }

    #[test]
    fn the_distance_is_symmetric_and_zero_only_between_equals() {
        let mut rng = crate::rng::Rng::new(0);
        for _ in 0..100 {
            let mut draw = || Array2::from_shape_fn((4, 4), |(i, j)| i != j && rng.below(3) == 0);
            let (a, b) = (draw(), draw());
            let there = GraphDistance::between(a.view(), b.view()).unwrap();
            let back = GraphDistance::between(b.view(), a.view()).unwrap();
            assert_eq!(there.hamming(), back.hamming());
            assert_eq!(there.precision(), back.recall());
            assert_eq!(there.hamming() == 0, a == b);
        }
    }

    #[test]
    fn graphs_of_other_shapes_are_refused() {
        let (four, three) = (graph(&[]), Array2::from_elem((3, 3), false));
        let error = GraphDistance::between(four.view(), three.view()).unwrap_err().to_string();
        assert!(error.contains("is (4, 4) and the true one (3, 3)"), "{error}");
    }
}
