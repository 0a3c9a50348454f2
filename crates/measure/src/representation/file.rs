//! The file of a representation: an .npz that NumPy reads too.

use std::path::Path;

use ndarray::Array2;

use super::{Representation, matrix};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::npz::{Npz, NpzWriter};
use crate::tables::Table;

/// The number of the file format written by [`Representation::save`].
pub const FORMAT: u32 = 1;

impl Representation<'_> {
    /// Write as .npz: `codes`, `values`, `names`, `sizes` (0 = continuous) and `format`; and
    /// `angles` (1 = an angle), where there is one: older versions read it as continuous.
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
        let angle = |factor: &Factor| i64::from(factor.kind == Kind::Angle);
        let angles: Vec<i64> = self.factors.iter().map(angle).collect();
        if angles.contains(&1) {
            file.array("angles", &[angles.len()], &angles)?;
        }
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
        let (codes, values) = (file.array("codes")?, file.array("values")?);
        if values.shape.len() == 2 && values.shape[1] == 0 {
            // Codes of data without factors.
            let codes = matrix(&Table::from_array(codes)?);
            let nothing = Array2::zeros((codes.nrows(), 0));
            return Self::new(codes, nothing, vec![]);
        }
        let mut loaded = Self::from_arrays(codes, values)?;
        if file.has("names") {
            let names = file.strings("names")?;
            if names.len() != loaded.factors.len() {
                return Err(Error::format(path, "`names` and `values` disagree in number"));
            }
            loaded.factors.iter_mut().zip(names).for_each(|(factor, name)| factor.name = name);
        }
        if file.has("sizes") {
            let sizes = file.array("sizes")?.into_floats();
            let columns = loaded.values.columns();
            for ((factor, size), column) in loaded.factors.iter_mut().zip(sizes).zip(columns) {
                let name = std::mem::take(&mut factor.name);
                *factor = match size {
                    0.0 => Factor::continuous(name),
                    _ => Factor::of_column(name, &column.to_vec(), true),
                };
            }
        }
        if file.has("angles") {
            let angles = file.array("angles")?.into_floats();
            for (factor, angle) in loaded.factors.iter_mut().zip(angles) {
                if angle != 0.0 {
                    factor.kind = Kind::Angle;
                }
            }
        }
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::tests::small;

    #[test]
    fn a_representation_survives_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("representation.npz");
        small().save(&path).unwrap();
        assert_eq!(Representation::load(&path).unwrap(), small());
        let mut turned = small();
        turned.factors[1].kind = Kind::Angle;
        turned.save(&path).unwrap();
        assert_eq!(Representation::load(&path).unwrap(), turned);
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
}
