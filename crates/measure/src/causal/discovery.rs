//! Who causes whom among labelled columns, from the labels alone. The search of the PC algorithm
//! (Spirtes and Glymour 1991), with directions found as early as can be:
//!
//! 1. Columns of which neither helps to predict the other are not joined. If a and b are such and c
//!    depends on both, c causes neither (else they would depend through it): edges lead into c.
//! 2. Columns are not joined either if neither helps beyond a set of columns that may cause one
//!    of them. Where a and b part and c, joined to both, is not in the set, a and b cause c. Meek's
//!    rules direct what follows.
//! 3. What is still undirected is directed by additive noise (Hoyer et al. 2009).
//! 4. An edge stays if its cause helps to predict its effect beyond all other causes.
//!
//! Labels are often functions of each other without any noise, and then the plain algorithm removes
//! true edges: a set that determines a leaves nothing that b could explain. So a set
//! that determines one of a pair counts only if it is known to cause it; sets without known effects
//! of the pair are tried first; and an edge that can point only one way is judged that way, as an
//! effect with a cause that is not in the table tells about its other causes.
//!
//! Not found are hidden common causes, and dependence that leaves the mean alone.

use ndarray::ArrayView2;

use crate::error::{Error, Result};
use crate::rng::Rng;

mod evidence;
mod marks;
mod noise;
mod prediction;
mod search;
mod words;

/// With fewer rows nothing is clear.
const FEWEST: usize = 50;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Discovered {
    /// In the order of causes, then of effects; without cycles.
    pub edges: Vec<Edge>,
    /// Every pair without an edge, and why.
    pub separations: Vec<Separation>,
}

/// One column causes another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The column that causes.
    pub cause: usize,
    /// The column that is caused.
    pub effect: usize,
    /// Why it is not the other way round.
    pub principle: Principle,
    /// The share of the effect's variance that the cause explains, in rows held out, beyond the
    /// other causes of the effect: 0 to 1.
    pub strength: f64,
}

/// What directs an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Principle {
    /// The cause is independent of another column, and the effect depends on both.
    Collider {
        /// That other column.
        with: usize,
        /// What must be known for the two to be independent; mostly nothing.
        given: Vec<usize>,
    },
    /// The other way round there would be a cycle, or a collider that nothing speaks for.
    NoNewCollider,
    /// What is left of the effect depends less on its causes than the other way round.
    AdditiveNoise {
        /// The distance correlation of what is left of the effect with the cause, or with what else
        /// may cause the effect, whichever is more.
        forward: f64,
        /// The same with cause and effect exchanged.
        backward: f64,
    },
    /// Nothing tells; the column that comes first is taken for the cause, unless that closes a cycle.
    Undecided,
}

/// Two columns are not joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    /// The smaller first.
    pub pair: [usize; 2],
    /// Where these are known, neither helps to predict the other.
    pub given: Vec<usize>,
    /// The share of its variance by which one still helps to predict the other; chance may take it
    /// below zero.
    pub gain: f64,
}

/// Find the edges between columns of `labels`, `[rows, columns]`, of any scale, continuous or not. A
/// constant column has none. At most 4,000 rows, picked by `rng`, are looked at.
pub fn discover(labels: ArrayView2<f32>, rng: &Rng) -> Result<Discovered> {
    if labels.nrows() < FEWEST {
        return Err(Error::Missing(format!(
            "{} rows are too few to tell causes from effects; at least {FEWEST} are needed",
            labels.nrows()
        )));
    }
    if let Some((at, value)) = labels.indexed_iter().find(|(_, value)| !value.is_finite()) {
        return Err(Error::Array(format!(
            "column {} of the labels is {value} in row {}; leave such rows out",
            at.1, at.0
        )));
    }
    Ok(search::search(evidence::Evidence::new(labels, rng)))
}

#[cfg(test)]
mod tests;
