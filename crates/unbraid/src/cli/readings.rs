//! What `unbraid score` reads from files: codes and factors, other models, graphs, blocks.

use std::path::Path;

use anyhow::Result;
use ndarray::Array2;
use unbraid::graph::Graph;
use unbraid::representation::{Representation, Sibling};
use unbraid_measure::Error;
use unbraid_measure::tables::Table;

use super::args::Score;

/// The table to score, from the files of the options.
pub(super) fn codes(options: &Score) -> Result<Representation<'static>> {
    let mut codes = match options.codes.split_first() {
        Some((first, others)) => {
            let mut codes = codes_and_factors(first, options.factors.as_deref())?;
            codes.readings.siblings =
                others.iter().map(|path| sibling(path)).collect::<Result<_>>()?;
            codes
        }
        // A graph is judged without codes; one row of nothing stands for them.
        None => Representation::new(Array2::zeros((1, 1)), Array2::zeros((1, 0)), Vec::new())?,
    };
    if let Some(path) = &options.kl {
        add_kl(&mut codes, path)?;
    }
    if let Some(blocks) = &options.blocks {
        codes.readings.blocks = Some(parse_blocks(blocks, &codes)?);
    }
    if let (Some(learned), Some(truth)) = (&options.graph, &options.true_graph) {
        codes.readings.learned_graph = Some(matrix(learned)?.mapv(f64::from));
        codes.readings.true_graph = Some(graph(truth)?);
    }
    Ok(codes)
}

fn codes_and_factors(codes: &Path, factors: Option<&Path>) -> Result<Representation<'static>> {
    let is_npz = codes.extension().is_some_and(|found| found.eq_ignore_ascii_case("npz"));
    match factors {
        Some(factors) => Ok(Representation::from_tables(
            Table::read(codes, &["codes"])?,
            Table::read(factors, &["values", "factors"])?,
        )?),
        None if is_npz && holds_values(codes)? => Ok(Representation::load(codes)?),
        // Scores of codes alone need no factors; the others say that they do.
        None => {
            let codes = matrix(codes)?;
            let nothing = Array2::zeros((codes.nrows(), 0));
            Ok(Representation::new(codes, nothing, Vec::new())?)
        }
    }
}

fn holds_values(path: &Path) -> Result<bool> {
    Ok(unbraid_measure::npz::Npz::open(path)?.has("values"))
}

fn sibling(path: &Path) -> Result<Sibling> {
    Ok(Sibling { codes: matrix(path)?, kl: None })
}

/// One row of KL divergences per model, in the order of `--codes`.
fn add_kl(codes: &mut Representation, path: &Path) -> Result<()> {
    let table = matrix(path)?;
    // A single model may come as a column.
    let table = if table.ncols() == 1 { table.reversed_axes() } else { table };
    let models = 1 + codes.readings.siblings.len();
    if table.nrows() != models {
        let reason =
            format!("has {} rows; it must have one for each of the {models} models", table.nrows());
        return Err(Error::format(path, reason).into());
    }
    let mut rows =
        table.rows().into_iter().map(|row| row.iter().map(|kl| f64::from(*kl)).collect());
    codes.readings.kl = rows.next();
    codes.readings.siblings.iter_mut().zip(rows).for_each(|(other, kl)| other.kl = Some(kl));
    Ok(())
}

/// `0,0,1,-`: the factor of each code by number or name, `-` for none.
fn parse_blocks(blocks: &[String], codes: &Representation) -> Result<Vec<Option<usize>>> {
    let factor = |word: &String| {
        let named = codes.factors.iter().position(|factor| factor.name == *word);
        match (word.as_str(), named) {
            ("-", _) => Ok(None),
            (_, Some(factor)) => Ok(Some(factor)),
            (word, None) => match word.parse::<usize>() {
                Ok(number) if number < codes.factors.len() => Ok(Some(number)),
                _ => Err(Error::setting(
                    "blocks",
                    format!("names `{word}`, which is no factor; give names, numbers from 0, or -"),
                )),
            },
        }
    };
    Ok(blocks.iter().map(factor).collect::<std::result::Result<_, _>>()?)
}

/// A graph from an array with row = cause, column = effect; an edge is any number but 0.
fn graph(path: &Path) -> Result<Graph> {
    let table = Table::read(path, &["graph"])?;
    let names = table.columns.iter().enumerate();
    let names = names.map(|(k, column)| column.name.clone().unwrap_or_else(|| format!("{k}")));
    let names: Vec<String> = names.collect();
    let matrix = matrix(path)?;
    let edges: Vec<(usize, usize)> =
        matrix.indexed_iter().filter(|(_, edge)| **edge != 0.0).map(|(place, _)| place).collect();
    Graph::new(names, &edges).map_err(|reason| Error::format(path, reason).into())
}

fn matrix(path: &Path) -> Result<Array2<f32>> {
    let table = Table::read(path, &["codes", "graph", "kl"])?;
    if let Some(column) = table.columns.iter().position(|column| column.words) {
        return Err(Error::format(
            path,
            format!("column {column} holds words; numbers are needed"),
        )
        .into());
    }
    let shape = (table.rows(), table.columns.len());
    Ok(Array2::from_shape_fn(shape, |(row, k)| table.columns[k].numbers[row]))
}
