//! Arrays of bytes that are larger than memory, read piece by piece.

use std::io::Read;
use std::path::PathBuf;

use npyz::{Order, TypeChar};

use super::{Npz, kind_of, npy, shape_of};
use crate::error::{Error, Result};

/// An array of bytes whose header has been read.
pub struct ByteStream<'a> {
    path: PathBuf,
    name: String,
    shape: Vec<usize>,
    reader: Box<dyn Read + 'a>,
}

impl Npz {
    /// The lengths of the axes of an array, which is not read.
    pub fn shape(&mut self, name: &str) -> Result<Vec<usize>> {
        let path = self.path.clone();
        let shape = npy(self.member(name)?).and_then(|file| shape_of(&file));
        shape.map_err(|reason| Error::format(path, format!("array `{name}` {reason}")))
    }

    /// Begin to read an array of bytes, last axis fastest.
    pub fn stream(&mut self, name: &str) -> Result<ByteStream<'_>> {
        let path = self.path.clone();
        let refuse = |reason: String| Error::format(&path, format!("array `{name}` {reason}"));
        let file = npy(self.member(name)?).map_err(refuse)?;
        let (shape, kind) = (shape_of(&file).map_err(refuse)?, kind_of(&file).map_err(refuse)?);
        if (kind.type_char(), kind.size_field()) != (TypeChar::Uint, 1) {
            return Err(refuse(format!("has type {kind}, expected bytes (uint8)")));
        }
        if file.order() == Order::Fortran && shape.len() > 1 {
            let reason = "is in Fortran order, which cannot be read piece by piece; save \
                          np.ascontiguousarray(x)";
            return Err(refuse(reason.into()));
        }
        let reader = Box::new(file.into_inner());
        Ok(ByteStream { path, name: name.into(), shape, reader })
    }
}

impl ByteStream<'_> {
    /// The lengths of its axes, as its header claims them.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Fill `out` with the next bytes.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        self.reader
            .read_exact(out)
            .map_err(|source| self.refuse(format!("ends early ({source}); is the file truncated?")))
    }

    /// Refuse an array that goes on. Only at its end is the checksum of the archive known.
    pub fn end(mut self) -> Result<()> {
        match self.reader.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.refuse("goes on after what its header promises".into())),
            Err(source) => Err(self.refuse(format!("is damaged ({source})"))),
        }
    }

    /// The error that this array is not what it should be.
    pub fn refuse(&self, reason: String) -> Error {
        Error::format(&self.path, format!("array `{}` {reason}", self.name))
    }
}
