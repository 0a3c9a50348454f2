//! Images with a table of their factors' values, as two arrays of one file: dSprites, 3D Shapes.

use std::path::Path;

use super::hdf5::Hdf5;
use crate::data::storage::library::{Import, PartWriter};
use crate::error::{Error, Result};
use crate::npz::{Array, Npz};

/// Bytes of images that are read at once.
const PIECE: usize = 1 << 20;

/// What the two arrays should be.
#[derive(Clone, Copy, Debug)]
pub(in crate::data) struct Expected {
    /// The most rows there can be.
    pub(in crate::data) most: usize,
    /// Of an image: [height, width, channels].
    pub(in crate::data) size: [usize; 3],
    /// How many columns of the table are factors.
    pub(in crate::data) factors: usize,
    /// How many columns before those may be there, and are not taken.
    pub(in crate::data) dropped: usize,
}

impl Expected {
    /// How many rows an array of this shape has, if it holds such images. There may be several axes
    /// of rows, and no axis of channels if there is but one.
    pub(in crate::data) fn rows(&self, shape: &[usize]) -> Option<usize> {
        let size = match self.size {
            [height, width, 1] if shape.last() != Some(&1) => vec![height, width],
            size => size.to_vec(),
        };
        let rows = shape.strip_suffix(&size[..]).filter(|axes| !axes.is_empty())?;
        product(rows).filter(|rows| *rows <= self.most)
    }

    fn wrong_images(&self, shape: &[usize]) -> String {
        let (most, size) = (self.most, self.size);
        format!("has the shape {shape:?}, expected at most {most} images of {size:?}")
    }

    /// How many columns a table of this shape has, if it has as many rows as there are images.
    fn columns(&self, shape: &[usize], rows: usize) -> std::result::Result<usize, String> {
        let wrong = || {
            let factors = self.factors;
            format!("has the shape {shape:?}, expected {factors} columns for {rows} images")
        };
        let (columns, axes) = shape.split_last().ok_or_else(wrong)?;
        let known = *columns == self.factors || *columns == self.factors + self.dropped;
        match known && product(axes) == Some(rows) {
            true => Ok(*columns),
            false => Err(wrong()),
        }
    }

    /// The columns that are factors.
    fn values(&self, table: Array, columns: usize) -> std::result::Result<Vec<f32>, String> {
        let table = table.into_floats();
        let factors = |row: &[f32]| row[columns - self.factors..].to_vec();
        let values: Vec<f32> = table.chunks_exact(columns).flat_map(factors).collect();
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(place) => {
                let (row, value) = (place / self.factors, values[place]);
                Err(format!("has {value} in row {row}; is it damaged?"))
            }
        }
    }
}

fn product(axes: &[usize]) -> Option<usize> {
    axes.iter().try_fold(1_usize, |size, axis| size.checked_mul(*axis))
}

/// From the arrays [images, values] of an npz file. Other members are not looked at.
pub(in crate::data) fn from_npz(
    import: &Import,
    path: &Path,
    names: [&str; 2],
    expected: Expected,
    part: &mut PartWriter,
) -> Result<()> {
    let refuse = |name: &str, reason| Error::format(path, format!("array `{name}` {reason}"));
    let mut file = Npz::open(path)?;
    let shape = file.shape(names[0])?;
    let rows =
        expected.rows(&shape).ok_or_else(|| refuse(names[0], expected.wrong_images(&shape)))?;
    let of_values = |reason| refuse(names[1], reason);
    let columns = expected.columns(&file.shape(names[1])?, rows).map_err(of_values)?;
    let values = expected.values(file.array(names[1])?, columns).map_err(of_values)?;

    let mut images = file.stream(names[0])?;
    let size = expected.size.iter().product::<usize>();
    let mut piece = vec![0; PIECE.next_multiple_of(size)];
    let mut values = values.chunks_exact(expected.factors).enumerate();
    let mut left = rows;
    while left > 0 {
        let count = left.min(piece.len() / size);
        let piece = &mut piece[..count * size];
        images.fill(piece)?;
        for (image, (row, values)) in piece.chunks_exact(size).zip(&mut values) {
            part.row(image, values)?;
            import.row_done(row, rows, 1.0)?;
        }
        left -= count;
    }
    images.end()
}

/// From the arrays [images, values] of an HDF5 file.
pub(in crate::data) fn from_hdf5(
    import: &Import,
    path: &Path,
    names: [&str; 2],
    expected: Expected,
    part: &mut PartWriter,
) -> Result<()> {
    let refuse = |name: &str, reason| Error::format(path, format!("array `{name}` {reason}"));
    let file = Hdf5::open(path)?;
    let shape = file.shape(names[0])?;
    let rows = expected
        .rows(&shape)
        .filter(|rows| shape.first() == Some(rows))
        .ok_or_else(|| refuse(names[0], expected.wrong_images(&shape)))?;
    let of_values = |reason| refuse(names[1], reason);
    let columns = expected.columns(&file.shape(names[1])?, rows).map_err(of_values)?;
    let values = expected.values(file.floats(names[1])?, columns).map_err(of_values)?;
    let size = expected.size.iter().product::<usize>();
    file.slabs(names[0], |first, bytes| {
        for (k, image) in bytes.chunks_exact(size).enumerate() {
            let row = first + k;
            part.row(image, &values[row * expected.factors..(row + 1) * expected.factors])?;
            import.row_done(row, rows, 1.0)?;
        }
        Ok(())
    })
}
