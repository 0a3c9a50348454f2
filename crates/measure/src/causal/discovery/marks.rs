//! A graph that is not yet directed: between two nodes an edge, if there is one, may point either
//! way until something speaks against it. Orienting never makes a cycle.

use ndarray::Array2;

use super::Principle;

/// Who may cause whom.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// `[cause, effect]`: both ways while undirected, neither without an edge.
    may: Array2<bool>,
    /// Why an edge points from its cause to its effect.
    why: Array2<Option<Principle>>,
}

impl Marks {
    /// Every pair with an undirected edge.
    pub(super) fn complete(nodes: usize) -> Self {
        let may = Array2::from_shape_fn((nodes, nodes), |(i, j)| i != j);
        Self { why: may.mapv(|_| None), may }
    }

    pub(super) fn nodes(&self) -> usize {
        self.may.nrows()
    }

    pub(super) fn may_cause(&self, cause: usize, effect: usize) -> bool {
        self.may[[cause, effect]]
    }

    pub(super) fn adjacent(&self, one: usize, other: usize) -> bool {
        self.may[[one, other]] || self.may[[other, one]]
    }

    pub(super) fn causes(&self, cause: usize, effect: usize) -> bool {
        self.may[[cause, effect]] && !self.may[[effect, cause]]
    }

    pub(super) fn undirected(&self, one: usize, other: usize) -> bool {
        self.may[[one, other]] && self.may[[other, one]]
    }

    pub(super) fn parents(&self, effect: usize) -> Vec<usize> {
        (0..self.nodes()).filter(|&cause| self.causes(cause, effect)).collect()
    }

    pub(super) fn why(&self, cause: usize, effect: usize) -> Option<&Principle> {
        self.why[[cause, effect]].as_ref()
    }

    /// All pairs with an edge, the smaller number first.
    pub(super) fn edges(&self) -> Vec<[usize; 2]> {
        let pairs =
            (0..self.nodes()).flat_map(|one| (one + 1..self.nodes()).map(move |b| [one, b]));
        pairs.filter(|&[one, other]| self.adjacent(one, other)).collect()
    }

    pub(super) fn remove(&mut self, one: usize, other: usize) {
        for pair in [[one, other], [other, one]] {
            self.may[pair] = false;
            self.why[pair] = None;
        }
    }

    /// Direct an undirected edge; false if there is none or a cycle would close.
    pub(super) fn orient(&mut self, cause: usize, effect: usize, why: Principle) -> bool {
        let possible = self.undirected(cause, effect) && !self.leads(effect, cause);
        if possible {
            self.may[[effect, cause]] = false;
            self.why[[cause, effect]] = Some(why);
        }
        possible
    }

    /// Whether directed edges lead from one node to another.
    pub(super) fn leads(&self, from: usize, to: usize) -> bool {
        let mut reached = vec![false; self.nodes()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for next in (0..self.nodes()).filter(|&next| self.causes(node, next)) {
                if !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached[to]
    }

    /// Direct what is settled by the directed edges so far (Meek 1995): otherwise there would be a
    /// cycle, or a collider that no independence speaks for.
    pub(super) fn complete_directions(&mut self) {
        let nodes = self.nodes();
        let pairs = || (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b)));
        while let Some((cause, effect)) = pairs().find(|&(a, b)| self.settled(a, b)) {
            self.orient(cause, effect, Principle::NoNewCollider);
        }
    }

    /// Whether an undirected edge must point from a to b.
    fn settled(&self, a: usize, b: usize) -> bool {
        if !self.undirected(a, b) || self.leads(b, a) {
            return false;
        }
        let nodes = || 0..self.nodes();
        // c -> a - b, c and b apart: b -> a would be a new collider.
        let collider = nodes().any(|c| c != b && self.causes(c, a) && !self.adjacent(c, b));
        // a -> … -> b: b -> a would close the cycle.
        let cycle = self.leads(a, b);
        // a - c -> b and a - d -> b, c and d apart: b -> a would force c -> a <- d.
        let between = |c: usize| self.undirected(a, c) && self.causes(c, b);
        let both = nodes()
            .any(|c| between(c) && nodes().any(|d| d != c && between(d) && !self.adjacent(c, d)));
        collider || cycle || both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[[usize; 2]], directed: &[[usize; 2]]) -> Marks {
        let mut marks = Marks::complete(nodes);
        let all = [edges, directed].concat();
        for [a, b] in marks.edges() {
            if !all.contains(&[a, b]) && !all.contains(&[b, a]) {
                marks.remove(a, b);
            }
        }
        for &[cause, effect] in directed {
            assert!(marks.orient(cause, effect, Principle::Undecided));
        }
        marks
    }

    #[test]
    fn the_rules_of_meek_direct_what_is_settled() {
        // 0 -> 1 - 2
        let mut marks = graph(3, &[[1, 2]], &[[0, 1]]);
        marks.complete_directions();
        assert!(marks.causes(1, 2));
        assert_eq!(marks.why(1, 2), Some(&Principle::NoNewCollider));
        // 0 -> 1 -> 2 - 0
        let mut marks = graph(3, &[[2, 0]], &[[0, 1], [1, 2]]);
        marks.complete_directions();
        assert!(marks.causes(0, 2));
        // 0 - 1, 0 - 2 -> 1, 0 - 3 -> 1, 2 and 3 apart
        let mut marks = graph(4, &[[0, 1], [0, 2], [0, 3]], &[[2, 1], [3, 1]]);
        marks.complete_directions();
        assert!(marks.causes(0, 1) && marks.undirected(0, 2) && marks.undirected(0, 3));
    }

    #[test]
    fn what_is_open_stays_open() {
        // 0 -> 1, 2 - 1, 0 - 2: a triangle has no new collider.
        let mut marks = graph(3, &[[1, 2], [0, 2]], &[[0, 1]]);
        marks.complete_directions();
        assert!(marks.undirected(1, 2) && marks.undirected(0, 2));
    }

    #[test]
    fn no_cycle_is_closed_and_no_edge_turned() {
        let mut marks = graph(3, &[[0, 2]], &[[0, 1], [1, 2]]);
        assert!(!marks.orient(2, 0, Principle::Undecided));
        assert!(!marks.orient(1, 0, Principle::Undecided));
        assert!(marks.orient(0, 2, Principle::Undecided));
        assert_eq!(marks.parents(2), [0, 1]);
        marks.remove(1, 2);
        assert_eq!(marks.edges(), [[0, 1], [0, 2]]);
        assert!(!marks.orient(1, 2, Principle::Undecided));
    }
}
