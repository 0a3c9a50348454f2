//! A representation: the codes of many observations beside their true values. The only thing a
//! metric sees, and what users bring from any other framework.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2, Slice};

use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::graph::Graph;
use crate::npz::Array;
use crate::rng::Rng;
use crate::stats::information::histogram_bins;
use crate::stats::is_constant;
use crate::tables::{Column, Table};

mod file;
#[cfg(test)]
mod grid;
mod targets;

pub use file::FORMAT;
#[cfg(test)]
pub(crate) use grid::grid;
pub use targets::Targets;

/// Codes and values, row by row; its own, or borrowed from whoever holds the arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Representation<'a> {
    /// `[rows, latents]`
    pub codes: CowArray<'a, f32, Ix2>,
    /// `[rows, factors]`
    pub values: CowArray<'a, f32, Ix2>,
    /// One per column of `values`.
    pub factors: Vec<Factor>,
    /// How the table is looked at, the same for every metric.
    pub protocol: Protocol,
    /// What else is known of the codes.
    pub readings: Readings,
}

/// How a table is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protocol {
    /// How many bins of equal width a column without a list of values is cut into.
    pub bins: usize,
    /// Which rows teach and which judge, for metrics that train a predictor.
    pub split: Split,
}

impl Default for Protocol {
    /// The bins of the study of Locatello et al. (2019), and a random split with seed 0.
    fn default() -> Self {
        Self { bins: 20, split: Split::Random { seed: 0 } }
    }
}

/// Which rows teach a predictor and which judge it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Split {
    /// Two thirds of the rows teach, drawn at random; the rest judge.
    Random {
        /// The seed of the draw: one seed, one split, for every metric.
        seed: u64,
    },
    /// The first rows teach and the last judge; what lies between is not used.
    Ends {
        /// How many rows teach.
        train: usize,
        /// How many rows judge.
        test: usize,
    },
}

impl Split {
    /// The split that a user asks for: of train and test rows, the one left out is the rest of
    /// `rows`; without both it is random.
    pub fn asked(train: Option<usize>, test: Option<usize>, rows: usize, seed: u64) -> Self {
        let rest = |taken: usize| rows.saturating_sub(taken);
        match (train, test) {
            (None, None) => Self::Random { seed },
            (Some(train), None) => Self::Ends { train, test: rest(train) },
            (None, Some(test)) => Self::Ends { train: rest(test), test },
            (Some(train), Some(test)) => Self::Ends { train, test },
        }
    }
}

/// What a method says beside its codes, and what is known of the truth beside its values. Each
/// metric that needs one of these says so where it is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// The factor that each code was assigned to, by number; `None` for a code without one.
    pub blocks: Option<Vec<Option<usize>>>,
    /// For each factor, whether the method was to find it: whether it is ever intervened on, for
    /// methods that learn from interventions. `None` where this is not known, and all count.
    pub targets: Option<Vec<bool>>,
    /// The KL divergence of each code from the prior, `[latents]`.
    pub kl: Option<Vec<f64>>,
    /// The learned graph, `[cause, effect]`: the strength of each edge.
    pub learned_graph: Option<Array2<f64>>,
    /// The true graph.
    pub true_graph: Option<Graph>,
    /// Other models of the same kind, on the same rows.
    pub siblings: Vec<Sibling>,
}

/// Another model's codes of the same rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sibling {
    /// `[rows, latents]`
    pub codes: Array2<f32>,
    /// The KL divergence of each code from the prior, `[latents]`.
    pub kl: Option<Vec<f64>>,
}

impl<'a> Representation<'a> {
    /// Join codes and values; refuses empty, unequal or non-finite arrays.
    pub fn new(
        codes: impl Into<CowArray<'a, f32, Ix2>>,
        values: impl Into<CowArray<'a, f32, Ix2>>,
        factors: Vec<Factor>,
    ) -> Result<Self> {
        let (codes, values) = (codes.into(), values.into());
        let (protocol, readings) = (Protocol::default(), Readings::default());
        let representation = Self { codes, values, factors, protocol, readings };
        representation.check()?;
        Ok(representation)
    }

    /// The rows that teach and the rows that judge.
    pub fn split(&self) -> Result<(Representation<'static>, Representation<'static>)> {
        let (train, test) = self.split_rows()?;
        Ok((self.select(&train), self.select(&test)))
    }

    /// The numbers of the rows that teach and of those that judge.
    pub fn split_rows(&self) -> Result<(Vec<usize>, Vec<usize>)> {
        let rows = self.rows();
        match self.protocol.split {
            Split::Random { .. } if rows < 3 => Err(Error::Missing(format!(
                "{rows} rows cannot be split into rows that teach a predictor and rows that judge \
                 it; give at least 3, and better thousands"
            ))),
            Split::Random { seed } => {
                let order = Rng::new(seed).split("rows that teach").permutation(rows);
                let (train, test) = order.split_at(rows * 2 / 3);
                let sorted = |rows: &[usize]| {
                    let mut rows = rows.to_vec();
                    rows.sort_unstable();
                    rows
                };
                Ok((sorted(train), sorted(test)))
            }
            Split::Ends { train, test } if train == 0 || test == 0 || train + test > rows => {
                Err(Error::Array(format!(
                    "{train} train rows and {test} test rows do not fit into {rows} rows; both \
                     must be at least 1, and together at most {rows}"
                )))
            }
            Split::Ends { train, test } => {
                Ok(((0..train).collect(), (rows - test..rows).collect()))
            }
        }
    }

    /// As [`split_rows`](Self::split_rows), those that teach in an order in which a few of the first
    /// may teach alone: at random where the split is.
    pub fn shuffled_split_rows(&self, rng: &Rng) -> Result<(Vec<usize>, Vec<usize>)> {
        let (mut train, test) = self.split_rows()?;
        if let Split::Random { .. } = self.protocol.split {
            // A table is often in order, and its first rows then all alike.
            let order = rng.split("order of rows that teach").permutation(train.len());
            train = order.into_iter().map(|position| train[position]).collect();
        }
        Ok((train, test))
    }

    /// Refuse a factor that never changes, for a metric that has no value with one: it would divide
    /// by the entropy of the factor, or teach a classifier one class.
    pub fn check_change(&self, metric: &str) -> Result<()> {
        let mut columns = self.values.columns().into_iter().zip(&self.factors);
        match columns.find(|(column, _)| is_constant(*column)) {
            None => Ok(()),
            Some((_, factor)) => Err(Error::Missing(format!(
                "{metric} cannot be computed, because factor `{}` never changes in these rows; \
                 leave this column out to score the others",
                factor.name
            ))),
        }
    }

    /// Refuse a single code, for a metric that asks how far the best is ahead of the second best.
    pub fn check_rivals(&self) -> Result<()> {
        match self.codes.ncols() < 2 {
            false => Ok(()),
            true => Err(Error::Missing(
                "one code has no rival, so there is no gap to measure; score two codes or more"
                    .into(),
            )),
        }
    }

    /// These rows only, in this order.
    pub fn select(&self, rows: &[usize]) -> Representation<'static> {
        Representation {
            codes: self.codes.select(Axis(0), rows).into(),
            values: self.values.select(Axis(0), rows).into(),
            factors: self.factors.clone(),
            protocol: self.protocol,
            readings: self.readings.select(rows),
        }
    }

    /// The first rows only, without a copy of codes and values.
    pub fn first(&self, rows: usize) -> Representation<'_> {
        let first = Slice::from(..rows);
        Representation {
            codes: self.codes.slice_axis(Axis(0), first).into(),
            values: self.values.slice_axis(Axis(0), first).into(),
            factors: self.factors.clone(),
            protocol: self.protocol,
            readings: self.readings.select(&(0..rows).collect::<Vec<_>>()),
        }
    }

    /// From two arrays as users bring them: codes `[rows, latents]`, factors `[rows, factors]`.
    pub fn from_arrays(codes: Array, values: Array) -> Result<Self> {
        Self::from_tables(Table::from_array(codes)?, Table::from_array(values)?)
    }

    /// From two tables as users bring them.
    pub fn from_tables(codes: Table, values: Table) -> Result<Self> {
        if let Some(word) = codes.columns.iter().position(|column| column.words) {
            return Err(Error::Array(format!(
                "column {word} of the codes holds words; codes are numbers"
            )));
        }
        let codes = matrix(&codes);
        let numbers = matrix(&values);
        // Kinds are guessed from the columns, so the columns must be numbers first.
        check_finite("factor", numbers.view())?;
        let factor = |(k, column): (usize, Column)| {
            let name = column.name.unwrap_or_else(|| format!("factor-{}", k + 1));
            Factor::of_column(name, &column.numbers, column.whole).with_words(column.classes)
        };
        let factors = values.columns.into_iter().enumerate().map(factor).collect();
        Self::new(codes, numbers, factors)
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.codes.nrows()
    }

    /// Each factor as class numbers `0..size`, column by column; a continuous factor is cut into
    /// bins of equal width between its minimum and maximum, as codes are by
    /// [`binned_codes`](Self::binned_codes).
    pub fn classes(&self) -> Vec<Vec<u32>> {
        let classes_of = |(column, factor): (ArrayView1<f32>, &Factor)| match factor.kind {
            Kind::Discrete(_) => ranks_of_values(&column.to_vec()),
            Kind::Continuous | Kind::Angle => histogram_bins(&column.to_vec(), self.protocol.bins),
        };
        self.values.axis_iter(Axis(1)).into_par_iter().zip(&self.factors).map(classes_of).collect()
    }

    /// Each code as the number of its bin, column by column.
    pub fn binned_codes(&self) -> Vec<Vec<u32>> {
        self.binned(self.codes.view())
    }

    /// Each factor as the number of its bin, column by column: one with a list of values too, so
    /// that neighbouring values share a bin where there are more of them than bins.
    pub fn binned_values(&self) -> Vec<Vec<u32>> {
        self.binned(self.values.view())
    }

    fn binned(&self, array: ArrayView2<f32>) -> Vec<Vec<u32>> {
        let bins = self.protocol.bins;
        let bins_of = |column: ArrayView1<f32>| histogram_bins(&column.to_vec(), bins);
        array.axis_iter(Axis(1)).into_par_iter().map(bins_of).collect()
    }

    fn check(&self) -> Result<()> {
        if self.codes.nrows() != self.values.nrows() {
            return Err(Error::Array(format!(
                "codes have {} rows and factors {}; row i of both must be the same observation",
                self.codes.nrows(),
                self.values.nrows()
            )));
        }
        if self.codes.is_empty() {
            let shape = self.codes.shape();
            return Err(Error::Array(format!("there are no codes: the array is {shape:?}")));
        }
        if self.factors.len() != self.values.ncols() {
            return Err(Error::Array(format!(
                "{} factors are named and {} are given",
                self.factors.len(),
                self.values.ncols()
            )));
        }
        check_finite("code", self.codes.view())?;
        check_finite("factor", self.values.view())
    }
}

impl Readings {
    /// Those of some rows.
    fn select(&self, rows: &[usize]) -> Self {
        let cut = |other: &Sibling| Sibling {
            codes: other.codes.select(Axis(0), rows),
            kl: other.kl.clone(),
        };
        Self { siblings: self.siblings.iter().map(cut).collect(), ..self.clone() }
    }
}

fn check_finite(what: &str, array: ArrayView2<f32>) -> Result<()> {
    match array.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::Array(format!(
            "{what} {column} of row {row} is {value}; every number must be finite"
        ))),
    }
}

/// The columns of a table side by side.
fn matrix(table: &Table) -> Array2<f32> {
    let shape = (table.rows(), table.columns.len());
    Array2::from_shape_fn(shape, |(row, k)| table.columns[k].numbers[row])
}

/// The rank of each value among the sorted distinct ones.
pub(crate) fn ranks_of_values(column: &[f32]) -> Vec<u32> {
    let mut values = column.to_vec();
    values.sort_unstable_by(f32::total_cmp);
    values.dedup();
    // By `<`, as the duplicates went by `==`: -0 and 0 are one value.
    let rank = |value: &f32| values.partition_point(|other| other < value) as u32;
    column.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    pub(super) fn small() -> Representation<'static> {
        let factors = vec![Factor::discrete("shape", [1.0, 3.0]), Factor::continuous("angle")];
        let values = array![[1.0, 0.1], [3.0, 0.2], [3.0, 0.35]];
        Representation::new(array![[0.5], [1.5], [-2.0]], values, factors).unwrap()
    }

    #[test]
    fn classes_are_ranks_or_bins() {
        let mut five = small();
        five.protocol.bins = 5;
        assert_eq!(five.classes(), [vec![0, 1, 1], vec![0, 2, 4]]);
        assert_eq!(five.binned_codes(), [vec![3, 4, 0]]);
        assert_eq!(five.binned_values(), [vec![0, 4, 4], vec![0, 2, 4]]);
        assert_eq!(ranks_of_values(&[1.0, -0.0, 0.0, 3.0]), [1, 0, 0, 2]);
    }

    #[test]
    fn a_split_takes_the_ends_or_a_seeded_two_thirds() {
        let column = Array2::from_shape_fn((30, 1), |(row, _)| row as f32);
        let mut table =
            Representation::new(column.clone(), column, vec![Factor::continuous("row")]).unwrap();
        let (train, test) = table.split_rows().unwrap();
        assert_eq!((train.len(), test.len()), (20, 10));
        let mut all = [train.clone(), test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..30).collect::<Vec<_>>());
        table.protocol.split = Split::Random { seed: 1 };
        assert_ne!(table.split_rows().unwrap().0, train);

        table.protocol.split = Split::Ends { train: 3, test: 2 };
        let (train, test) = table.split().unwrap();
        assert_eq!(train.codes, array![[0.0], [1.0], [2.0]]);
        assert_eq!(test.values, array![[28.0], [29.0]]);
        table.protocol.split = Split::Ends { train: 29, test: 2 };
        let error = table.split().unwrap_err().to_string();
        assert!(error.contains("29 train rows and 2 test rows do not fit into 30"), "{error}");
    }

    #[test]
    fn bad_arrays_are_refused_with_the_place() {
        let factors = || vec![Factor::continuous("a")];
        let nan = Representation::new(array![[0.0], [f32::NAN]], array![[1.0], [2.0]], factors());
        assert_eq!(
            nan.unwrap_err().to_string(),
            "code 0 of row 1 is NaN; every number must be finite"
        );
        let unequal = Representation::new(array![[0.0]], array![[1.0], [2.0]], factors());
        assert!(unequal.unwrap_err().to_string().contains("codes have 1 rows and factors 2"));
    }
}
