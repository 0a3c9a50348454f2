//! The steps of the search, in their order.

use super::evidence::{COUNTS, Evidence, Gain};
use super::marks::Marks;
use super::noise::{Asymmetry, Beside};
use super::{Discovered, Edge, Principle, Separation};

/// The most columns to condition on; beyond it the last step, with all causes known, has to do.
const LARGEST_SET: usize = 3;

pub(super) fn search(evidence: Evidence) -> Discovered {
    let marks = Marks::complete(evidence.columns());
    let mut search = Search { evidence, marks, separations: Vec::new() };
    search.part_independent();
    for effects_too in [false, true] {
        for order in 1..=LARGEST_SET {
            search.part_conditionally(order, effects_too);
        }
    }
    search.direct_by_noise();
    search.drop_weak();
    search.discovered()
}

struct Search {
    evidence: Evidence,
    marks: Marks,
    separations: Vec<Separation>,
}

impl Search {
    /// Pairs of which neither tells about the other; and what depends on both is caused by both.
    fn part_independent(&mut self) {
        for pair in self.marks.edges() {
            let gain = self.gain(pair, &[]);
            if !gain.counts() {
                self.part(pair, Vec::new(), gain.share);
            }
        }
        for pair in self.separations.iter().map(|apart| apart.pair).collect::<Vec<_>>() {
            self.direct_colliders(pair, &[]);
        }
        self.marks.complete_directions();
    }

    /// Pairs that do not tell about each other beyond some set of `order` columns. Edges go only once
    /// all pairs were asked, so that their order does not matter.
    fn part_conditionally(&mut self, order: usize, effects_too: bool) {
        let mut parted = Vec::new();
        for pair in self.marks.edges() {
            let sets = self.sets(pair, order, effects_too);
            let gains = sets.into_iter().map(|given| (self.gain(pair, &given), given));
            let least = gains.min_by(|(one, _), (other, _)| one.share.total_cmp(&other.share));
            if let Some((gain, given)) = least.filter(|(gain, _)| !gain.counts()) {
                parted.push((pair, given, gain.share));
            }
        }
        for (pair, given, gain) in &parted {
            self.part(*pair, given.clone(), *gain);
        }
        for (pair, given, _) in &parted {
            self.direct_colliders(*pair, given);
        }
        self.marks.complete_directions();
    }

    /// Sets of columns that may all cause one of the pair, and that say something about it.
    fn sets(&mut self, [a, b]: [usize; 2], order: usize, effects_too: bool) -> Vec<Vec<usize>> {
        let mut sets = Vec::new();
        for (cause, effect) in [(a, b), (b, a)] {
            if !self.marks.may_cause(cause, effect) {
                continue;
            }
            let marks = &self.marks;
            let eligible = |node: &usize| {
                *node != cause
                    && marks.may_cause(*node, effect)
                    && (effects_too || !marks.leads(cause, *node))
            };
            let candidates: Vec<usize> = (0..marks.nodes()).filter(eligible).collect();
            sets.extend(subsets(&candidates, order));
        }
        sets.sort();
        sets.dedup();
        sets.retain(|given| !self.determines(given, a) && !self.determines(given, b));
        sets
    }

    /// Whether so little is left of a node where a set is known that nothing could count, without
    /// the set being known to cause it.
    fn determines(&mut self, given: &[usize], node: usize) -> bool {
        let known = given.iter().all(|cause| self.marks.causes(*cause, node));
        !known && self.evidence.share_left(node, given) < COUNTS
    }

    /// How much one of a pair tells about the other, in the direction in which it tells more; only in
    /// that of the edge if it can have but one.
    fn gain(&mut self, [a, b]: [usize; 2], given: &[usize]) -> Gain {
        let directions = [(a, b), (b, a)].map(|(cause, effect)| {
            self.marks.may_cause(cause, effect).then(|| self.evidence.gain(effect, cause, given))
        });
        let larger = |one: Gain, other: Gain| match (one.counts(), other.counts()) {
            (true, false) => one,
            (false, true) => other,
            _ if one.share >= other.share => one,
            _ => other,
        };
        let none = Gain { share: 0.0, clarity: 0.0 };
        directions.into_iter().flatten().reduce(larger).unwrap_or(none)
    }

    fn part(&mut self, pair: [usize; 2], given: Vec<usize>, gain: f64) {
        self.marks.remove(pair[0], pair[1]);
        self.separations.push(Separation { pair, given, gain });
    }

    /// a and b, apart, both joined to c, which is not among what parts them: a -> c <- b.
    fn direct_colliders(&mut self, [a, b]: [usize; 2], given: &[usize]) {
        for c in 0..self.marks.nodes() {
            let joined = self.marks.may_cause(a, c) && self.marks.may_cause(b, c);
            if !joined || given.contains(&c) {
                continue;
            }
            for (cause, with) in [(a, b), (b, a)] {
                let why = Principle::Collider { with, given: given.to_vec() };
                self.marks.orient(cause, c, why);
            }
        }
    }

    /// One edge after the other, as each direction that is known helps with the next.
    fn direct_by_noise(&mut self) {
        loop {
            let edges = self.marks.edges().into_iter();
            let open: Vec<_> = edges.filter(|&[a, b]| self.marks.undirected(a, b)).collect();
            let Some(&first) = open.first() else { return };
            // What a column causes may hide its noise; then only what is known to cause it counts.
            let told = self.purest(&open, Beside::Possible).or(self.purest(&open, Beside::Known));
            match told {
                Some((pair, asymmetry)) => self.direct_pair(pair, asymmetry),
                None => self.direct_by_order(first),
            }
            self.marks.complete_directions();
        }
    }

    /// The edge whose effect leaves the least dependence. That effect has no effects of its own
    /// among what is open, and once it is known to be one, it is no longer taken for a cause.
    fn purest(&mut self, open: &[[usize; 2]], beside: Beside) -> Option<([usize; 2], Asymmetry)> {
        let judged = open
            .iter()
            .map(|&pair| (pair, Asymmetry::between(pair, beside, &self.marks, &mut self.evidence)));
        let told = judged.filter(|(_, asymmetry)| !asymmetry.undecided());
        told.min_by(|(_, one), (_, other)| one.least().total_cmp(&other.least()))
    }

    /// By additive noise, unless a cycle would close.
    fn direct_pair(&mut self, [a, b]: [usize; 2], asymmetry: Asymmetry) {
        let Asymmetry { forward, backward, clarity } = asymmetry;
        let ((cause, effect), why) = if clarity > 0.0 {
            ((a, b), Principle::AdditiveNoise { forward, backward })
        } else {
            ((b, a), Principle::AdditiveNoise { forward: backward, backward: forward })
        };
        let directed = self.marks.orient(cause, effect, why);
        if !directed {
            self.direct_by_order([a, b]);
        }
    }

    /// One of the two directions closes no cycle, as the directed edges so far have none.
    fn direct_by_order(&mut self, [a, b]: [usize; 2]) {
        if !self.marks.orient(a, b, Principle::Undecided) {
            self.marks.orient(b, a, Principle::NoNewCollider);
        }
    }

    /// Remove edges whose cause adds nothing to the other causes, the weakest first, as the others may
    /// become stronger by it.
    fn drop_weak(&mut self) {
        loop {
            let weakest = self
                .strengths()
                .into_iter()
                .filter(|(_, gain)| !gain.counts())
                .min_by(|(_, one), (_, other)| one.share.total_cmp(&other.share));
            let Some(([cause, effect], gain)) = weakest else { return };
            let given = self.other_parents(cause, effect);
            self.part([cause.min(effect), cause.max(effect)], given, gain.share);
        }
    }

    /// Every directed edge, cause first, with what the cause adds.
    fn strengths(&mut self) -> Vec<([usize; 2], Gain)> {
        let nodes = self.marks.nodes();
        let pairs = (0..nodes).flat_map(|cause| (0..nodes).map(move |effect| [cause, effect]));
        let edges: Vec<_> = pairs.filter(|&[c, e]| self.marks.causes(c, e)).collect();
        let strength = |[cause, effect]: [usize; 2]| {
            let others = self.other_parents(cause, effect);
            ([cause, effect], self.evidence.gain(effect, cause, &others))
        };
        edges.into_iter().map(strength).collect()
    }

    fn other_parents(&self, cause: usize, effect: usize) -> Vec<usize> {
        self.marks.parents(effect).into_iter().filter(|other| *other != cause).collect()
    }

    fn discovered(mut self) -> Discovered {
        let strengths = self.strengths();
        let edge = |([cause, effect], gain): ([usize; 2], Gain)| Edge {
            cause,
            effect,
            principle: self.marks.why(cause, effect).cloned().unwrap_or(Principle::Undecided),
            strength: gain.share.clamp(0.0, 1.0),
        };
        let edges = strengths.into_iter().map(edge).collect();
        self.separations.sort_by_key(|apart| apart.pair);
        Discovered { edges, separations: self.separations }
    }
}

/// All subsets of a size, in order.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, first) in of.iter().enumerate() {
        for rest in subsets(&of[i + 1..], size - 1) {
            all.push([vec![*first], rest].concat());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_of_their_size_once() {
        assert_eq!(subsets(&[4, 7, 9], 2), [[4, 7], [4, 9], [7, 9]]);
        assert_eq!(subsets(&[4, 7, 9], 3), [[4, 7, 9]]);
        assert_eq!(subsets(&[4], 2), Vec::<Vec<usize>>::new());
        assert_eq!(subsets(&[], 0), [Vec::<usize>::new()]);
    }
}
