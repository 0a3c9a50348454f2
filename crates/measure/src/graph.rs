//! Directed acyclic graphs over factors: who causes whom.

use std::collections::VecDeque;

use crate::error::{Error, Result};

/// A directed acyclic graph; an edge leads from cause to effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    names: Vec<String>,
    /// `edges[cause][effect]`, as in the JSON of `unbraid graph` (row = cause).
    edges: Vec<Vec<bool>>,
}

impl Graph {
    /// The graph with these nodes and `(cause, effect)` edges; refuses cycles.
    pub fn new<S: Into<String>>(
        names: impl IntoIterator<Item = S>,
        edges: &[(usize, usize)],
    ) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut matrix = vec![vec![false; names.len()]; names.len()];
        for &(cause, effect) in edges {
            if cause.max(effect) >= names.len() {
                return Err(Error::Array(format!(
                    "edge {cause} -> {effect} names a node that is not there: the graph has {}",
                    names.len()
                )));
            }
            matrix[cause][effect] = true;
        }
        let graph = Self { names, edges: matrix };
        if graph.order().len() < graph.len() {
            return Err(Error::Array("the graph has a cycle; causes must come first".into()));
        }
        Ok(graph)
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names of the nodes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether `cause` points at `effect`.
    pub fn has_edge(&self, cause: usize, effect: usize) -> bool {
        self.edges[cause][effect]
    }

    /// The direct causes of a node.
    pub fn parents(&self, node: usize) -> Vec<usize> {
        (0..self.len()).filter(|&cause| self.edges[cause][node]).collect()
    }

    /// Every node that `node` causes, directly or not, itself excluded.
    pub fn descendants(&self, node: usize) -> Vec<usize> {
        let mut reached = vec![false; self.len()];
        let mut open = vec![node];
        while let Some(cause) = open.pop() {
            for effect in (0..self.len()).filter(|&effect| self.edges[cause][effect]) {
                if !std::mem::replace(&mut reached[effect], true) {
                    open.push(effect);
                }
            }
        }
        (0..self.len()).filter(|&effect| reached[effect]).collect()
    }

    /// The nodes with every cause before its effects (Kahn); shorter than the graph if it is cyclic.
    pub fn order(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = (0..self.len()).map(|i| self.parents(i).len()).collect();
        let mut free: VecDeque<usize> = (0..self.len()).filter(|&i| waiting[i] == 0).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(cause) = free.pop_front() {
            order.push(cause);
            for effect in (0..self.len()).filter(|&effect| self.edges[cause][effect]) {
                waiting[effect] -= 1;
                if waiting[effect] == 0 {
                    free.push_back(effect);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_come_before_effects_and_cycles_are_refused() {
        let graph = Graph::new(["c", "b", "a"], &[(2, 1), (1, 0)]).unwrap();
        assert_eq!(graph.order(), [2, 1, 0]);
        assert_eq!(graph.parents(0), [1]);
        assert_eq!(graph.descendants(2), [0, 1]);
        assert_eq!(graph.descendants(0), [0; 0]);
        assert!(Graph::new(["a", "b"], &[(0, 1), (1, 0)]).is_err());
        assert!(Graph::new(["a"], &[(0, 1)]).is_err());
    }
}
