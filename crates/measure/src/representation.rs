//! A representation: the codes of many observations beside their true values. The only thing a
//! metric sees, and what users bring from any other framework.

use std::path::Path;

use ndarray::{Array2, ArrayView1};

use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::npz::{Array, Npz, NpzWriter};

/// The number of the file format written by [`Representation::save`].
pub const FORMAT: u32 = 1;

/// Codes and values, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Representation {
    /// `[rows, latents]`
    pub codes: Array2<f32>,
    /// `[rows, factors]`
    pub values: Array2<f32>,
    /// One per column of `values`.
    pub factors: Vec<Factor>,
}

impl Representation {
    /// Join codes and values; refuses empty, unequal or non-finite arrays.
    pub fn new(codes: Array2<f32>, values: Array2<f32>, factors: Vec<Factor>) -> Result<Self> {
        let representation = Self { codes, values, factors };
        representation.check()?;
        Ok(representation)
    }

    /// From two arrays as users bring them: codes `[rows, latents]`, factors `[rows, factors]`.
    pub fn from_arrays(codes: Array, values: Array) -> Result<Self> {
        let whole = values.is_whole();
        let codes = matrix("codes", codes)?;
        let values = matrix("factors", values)?;
        // Kinds are guessed from the columns, so the columns must be numbers first.
        check_finite("factor", &values)?;
        let factors = columns(&values)
            .enumerate()
            .map(|(i, column)| Factor::of_column(format!("factor-{}", i + 1), &column, whole))
            .collect();
        Self::new(codes, values, factors)
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.codes.nrows()
    }

    /// Each factor as class numbers `0..size`, column by column; continuous factors are cut into
    /// `bins` bins of equal width between their minimum and maximum, as codes are for MIG.
    pub fn classes(&self, bins: usize) -> Vec<Vec<usize>> {
        let classes_of = |(column, factor): (Vec<f32>, &Factor)| match factor.kind {
            Kind::Discrete(_) => ranks_of_values(&column),
            Kind::Continuous => crate::stats::information::histogram_bins(&column, bins),
        };
        columns(&self.values).zip(&self.factors).map(classes_of).collect()
    }

    /// Write as .npz: `codes`, `values`, `names`, `sizes` (0 = continuous) and `format`.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let names: Vec<String> = self.factors.iter().map(|factor| factor.name.clone()).collect();
        let sizes: Vec<i64> =
            self.factors.iter().map(|factor| factor.size().unwrap_or(0) as i64).collect();
        let mut file = NpzWriter::create(path)?;
        for (name, array) in [("codes", &self.codes), ("values", &self.values)] {
            file.stream(name, array.shape(), |sink| {
                array.rows().into_iter().try_for_each(|row| sink(&row.to_vec()))
            })?;
        }
        file.strings("names", &names)?;
        file.array("sizes", &[sizes.len()], &sizes)?;
        file.array("format", &[], &[i64::from(FORMAT)])?;
        file.finish()
    }

    /// Read what [`save`](Self::save) wrote, or any .npz with `codes` and `values`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut file = Npz::open(path)?;
        if file.has("format") {
            let format = file.array("format")?.into_floats().first().copied().unwrap_or(0.0);
            if format > FORMAT as f32 {
                return Err(Error::format(
                    path,
                    format!("has format {format}, newer than {FORMAT}; update unbraid to read it"),
                ));
            }
        }
        let mut loaded = Self::from_arrays(file.array("codes")?, file.array("values")?)?;
        if file.has("names") {
            let names = file.strings("names")?;
            if names.len() != loaded.factors.len() {
                return Err(Error::format(path, "`names` and `values` disagree in number"));
            }
            loaded.factors.iter_mut().zip(names).for_each(|(factor, name)| factor.name = name);
        }
        if file.has("sizes") {
            let sizes = file.array("sizes")?.into_floats();
            let columns: Vec<_> = columns(&loaded.values).collect();
            for ((factor, size), column) in loaded.factors.iter_mut().zip(sizes).zip(columns) {
                let name = std::mem::take(&mut factor.name);
                *factor = match size {
                    0.0 => Factor::continuous(name),
                    _ => Factor::of_column(name, &column, true),
                };
            }
        }
        Ok(loaded)
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
        check_finite("code", &self.codes)?;
        check_finite("factor", &self.values)
    }
}

fn check_finite(what: &str, array: &Array2<f32>) -> Result<()> {
    match array.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::Array(format!(
            "{what} {column} of row {row} is {value}; every number must be finite"
        ))),
    }
}

/// A one- or two-dimensional array as a matrix; a vector is one column.
fn matrix(what: &str, array: Array) -> Result<Array2<f32>> {
    let shape = match array.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            return Err(Error::Array(format!(
                "{what} have shape {:?}; they must be [rows, columns]",
                array.shape
            )));
        }
    };
    Ok(Array2::from_shape_vec(shape, array.into_floats())
        .expect("an array has as many numbers as its shape says"))
}

fn columns(array: &Array2<f32>) -> impl Iterator<Item = Vec<f32>> + '_ {
    array.columns().into_iter().map(|column: ArrayView1<f32>| column.to_vec())
}

/// The rank of each value among the sorted distinct ones.
fn ranks_of_values(column: &[f32]) -> Vec<usize> {
    let mut values = column.to_vec();
    values.sort_by(f32::total_cmp);
    values.dedup();
    // By `<`, as the duplicates went by `==`: -0 and 0 are one value.
    let rank = |value: &f32| values.partition_point(|other| other < value);
    column.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn small() -> Representation {
        let factors = vec![Factor::discrete("shape", [1.0, 3.0]), Factor::continuous("angle")];
        let values = array![[1.0, 0.1], [3.0, 0.2], [3.0, 0.35]];
        Representation::new(array![[0.5], [1.5], [-2.0]], values, factors).unwrap()
    }

    #[test]
    fn a_representation_survives_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("representation.npz");
        small().save(&path).unwrap();
        assert_eq!(Representation::load(&path).unwrap(), small());
    }

    #[test]
    fn a_newer_format_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.npz");
        let mut file = NpzWriter::create(&path).unwrap();
        file.array("format", &[], &[9i64]).unwrap();
        file.finish().unwrap();
        let error = Representation::load(&path).unwrap_err().to_string();
        assert!(error.contains("has format 9, newer than 1; update unbraid"), "{error}");
    }

    #[test]
    fn classes_are_ranks_or_bins() {
        assert_eq!(small().classes(5), [vec![0, 1, 1], vec![0, 2, 4]]);
        assert_eq!(ranks_of_values(&[1.0, -0.0, 0.0, 3.0]), [1, 0, 0, 2]);
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
