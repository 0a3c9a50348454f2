//! The `Table` of `python/unbraid/_table.py` as a `Representation` that borrows its arrays.

use ndarray::ArrayView1;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use unbraid_measure::factors::Factor;
use unbraid_measure::graph::Graph;
use unbraid_measure::representation::{Protocol, Readings, Representation, Sibling};
use unbraid_measure::{Error, Result};

/// The attributes of a `Table`. Arrays are float32 in C order: what borrows them must not copy.
#[derive(FromPyObject)]
pub(crate) struct Table<'py> {
    /// `[rows, latents]`
    codes: PyReadonlyArray2<'py, f32>,
    /// `[rows, factors]`
    values: PyReadonlyArray2<'py, f32>,
    /// One per factor.
    names: Vec<String>,
    /// Whether the column of a factor came as whole numbers, words or booleans.
    whole: Vec<bool>,
    blocks: Option<Vec<Option<usize>>>,
    kl: Option<Vec<f64>>,
    /// Codes and KL divergence of further models.
    siblings: Vec<(PyReadonlyArray2<'py, f32>, Option<Vec<f64>>)>,
    learned_graph: Option<PyReadonlyArray2<'py, f64>>,
    /// `[cause, effect]`, true for an edge.
    true_graph: Option<PyReadonlyArray2<'py, bool>>,
}

impl Table<'_> {
    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.codes.shape()[0]
    }

    /// A copy of it, made while the GIL is held: it is released while metrics read the numbers, and another
    /// thread may write to its arrays then. A gigabyte is copied in a fraction of the time that any metric takes.
    pub(crate) fn representation(&self, protocol: Protocol) -> Result<Representation<'static>> {
        let values = self.values.as_array().to_owned();
        // Kinds are guessed from the columns, so these must be numbers first; `new` says which is not.
        let finite = values.iter().all(|value| value.is_finite());
        let columns = self.names.iter().zip(&self.whole).zip(values.columns());
        let factor = |((name, whole), column): ((&String, &bool), ArrayView1<f32>)| match finite {
            true => Factor::of_column(name, &column.to_vec(), *whole),
            false => Factor::continuous(name),
        };
        let factors = columns.map(factor).collect();
        let mut found = Representation::new(self.codes.as_array().to_owned(), values, factors)?;
        found.protocol = protocol;
        found.readings = self.readings()?;
        Ok(found)
    }

    fn readings(&self) -> Result<Readings> {
        let sibling = |(codes, kl): &(PyReadonlyArray2<f32>, Option<Vec<f64>>)| Sibling {
            codes: codes.as_array().to_owned(),
            kl: kl.clone(),
        };
        Ok(Readings {
            blocks: self.blocks.clone(),
            targets: None,
            kl: self.kl.clone(),
            learned_graph: self.learned_graph.as_ref().map(|graph| graph.as_array().to_owned()),
            true_graph: self.true_graph.as_ref().map(graph).transpose()?,
            siblings: self.siblings.iter().map(sibling).collect(),
        })
    }
}

fn graph(edges: &PyReadonlyArray2<bool>) -> Result<Graph> {
    let &[rows, columns] = edges.shape() else { unreachable!("an array with two axes") };
    if rows != columns {
        return Err(Error::Array(format!(
            "the true graph is {rows} x {columns}; it must be square, a row per cause and a column \
             per effect"
        )));
    }
    let names = (1..=rows).map(|node| format!("node-{node}"));
    let edges = edges.as_array();
    let pairs = edges.indexed_iter().filter(|(_, edge)| **edge).map(|(pair, _)| pair);
    Graph::new(names, &pairs.collect::<Vec<_>>())
}
