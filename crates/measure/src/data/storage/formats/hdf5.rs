//! HDF5, as far as data sets are stored in it: arrays of bytes read by slabs of rows, and small
//! tables of numbers.

use std::path::{Path, PathBuf};

use hdf5_reader::{Dataset, Datatype, Hdf5File, OpenOptions, SliceInfo, SliceInfoElem};

use crate::error::{Error, Result};
use crate::npz::{Array, Numbers};

/// The most bytes of one slab. 3D Shapes is stored in chunks of 15,000 rows, 184 MB.
const LARGEST_SLAB: usize = 1 << 28;
/// Chunks of few rows are read many at a time, up to about this many bytes.
const USUAL_SLAB: usize = 1 << 24;
const LARGEST_CHUNK: usize = 1 << 26;
/// Deflate packs at most 1032 bytes into one. A file that claims more is damaged.
const DENSEST: u64 = 1032;

/// An open file.
pub(in crate::data) struct Hdf5 {
    path: PathBuf,
    file: Hdf5File,
    length: u64,
}

impl Hdf5 {
    /// Open a file.
    pub(in crate::data) fn open(path: &Path) -> Result<Self> {
        let unreadable = |source: std::io::Error| Error::io("read", path, &source);
        let length = std::fs::metadata(path).map_err(unreadable)?.len();
        // Slabs are whole chunks, so that none is wanted twice and none is kept. Arrays in other
        // files, which HDF5 allows, are not followed: nothing says where to look for them.
        let options = OpenOptions::default()
            .with_chunk_cache_bytes(0)
            .with_max_chunk_bytes(LARGEST_CHUNK)
            .with_max_read_bytes(LARGEST_SLAB)
            .with_max_object_header_bytes(1 << 20);
        match Hdf5File::open_with_options(path, options) {
            Ok(file) => Ok(Self { path: path.to_path_buf(), file, length }),
            Err(source) => {
                let reason = format!("is no readable HDF5 file ({source}); is it truncated?");
                Err(Error::format(path, reason))
            }
        }
    }

    /// The lengths of the axes of an array, as the file claims them.
    pub(in crate::data) fn shape(&self, name: &str) -> Result<Vec<usize>> {
        let array = self.array(name)?;
        let axes = array.shape().iter().map(|axis| usize::try_from(*axis));
        let axes: std::result::Result<Vec<usize>, _> = axes.collect();
        axes.map_err(|_| self.refuse(name, "claims a shape that no memory holds"))
    }

    /// A whole array of numbers.
    pub(in crate::data) fn floats(&self, name: &str) -> Result<Array> {
        let (array, shape) = (self.array(name)?, self.shape(name)?);
        let cut = |source: hdf5_reader::error::Error| self.damaged(name, &source);
        let numbers: Vec<f32> = match array.dtype() {
            Datatype::FloatingPoint { size: 8, .. } => {
                array.read_array::<f64>().map_err(cut)?.into_iter().map(|v| v as f32).collect()
            }
            Datatype::FloatingPoint { size: 4, .. } => {
                array.read_array::<f32>().map_err(cut)?.into_iter().collect()
            }
            Datatype::FixedPoint { size: 8, signed: true, .. } => {
                array.read_array::<i64>().map_err(cut)?.into_iter().map(|v| v as f32).collect()
            }
            other => {
                return Err(self.refuse(name, &format!("has type {other:?}, expected numbers")));
            }
        };
        match shape.iter().product::<usize>() == numbers.len() {
            true => Ok(Array { shape, numbers: Numbers::Floats(numbers) }),
            false => Err(self.refuse(name, "has fewer numbers than its shape promises")),
        }
    }

    /// An array of bytes by slabs of rows: `take` gets the number of the first row and the bytes.
    pub(in crate::data) fn slabs(
        &self,
        name: &str,
        mut take: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (array, shape) = (self.array(name)?, self.shape(name)?);
        if !matches!(array.dtype(), Datatype::FixedPoint { size: 1, signed: false, .. }) {
            let reason = format!("has type {:?}, expected bytes (uint8)", array.dtype());
            return Err(self.refuse(name, &reason));
        }
        let size = shape[1..].iter().product::<usize>();
        if shape.iter().product::<usize>() as u64 / DENSEST > self.length {
            return Err(self.refuse(name, "claims more bytes than the file can hold; is it cut?"));
        }
        let rows_at_once = slab_rows(&array, size);
        for first in (0..shape[0]).step_by(rows_at_once) {
            let end = shape[0].min(first + rows_at_once);
            let mut slab = SliceInfo::all(shape.len());
            let (start, stop) = (first as u64, end as u64);
            slab.selections[0] = SliceInfoElem::Slice { start, end: stop, step: 1 };
            let bytes = array.read_slice::<u8>(&slab);
            let bytes = bytes.map_err(|source| self.damaged(name, &source))?;
            let bytes = bytes.as_slice().unwrap_or_default();
            if bytes.len() != (end - first) * size {
                return Err(self.refuse(name, "has fewer bytes than its shape promises"));
            }
            take(first, bytes)?;
        }
        Ok(())
    }

    fn array(&self, name: &str) -> Result<Dataset> {
        self.file.dataset(name).map_err(|source| {
            let reason = format!("is not there or cannot be read ({source})");
            self.refuse(name, &reason)
        })
    }

    fn damaged(&self, name: &str, source: &hdf5_reader::error::Error) -> Error {
        self.refuse(name, &format!("cannot be read ({source}); is the file truncated?"))
    }

    fn refuse(&self, name: &str, reason: &str) -> Error {
        Error::format(&self.path, format!("array `{name}` {reason}"))
    }
}

/// How many rows make a slab: whole chunks if memory allows it.
fn slab_rows(array: &Dataset, size: usize) -> usize {
    let chunk = array.chunks().and_then(|axes| axes.first().copied()).unwrap_or(1).max(1) as usize;
    let size = size.max(1);
    let most = (LARGEST_SLAB / size).max(1);
    let usual = (USUAL_SLAB / size / chunk).max(1) * chunk;
    usual.min(most)
}
