//! The binary matrices of NORB, little endian: a magic number that tells the type, the number of
//! axes, their lengths (three at least; those that are not used are 1), then the numbers, the last
//! axis fastest.

use std::path::Path;

use crate::data::storage::formats::bytes::Bytes;
use crate::error::Result;

const BYTES: i32 = 0x1E3D_4C55;
const INTEGERS: i32 = 0x1E3D_4C54;
const MOST_AXES: i32 = 8;

/// A matrix whose header has been read.
pub(super) struct Matrix {
    pub(super) bytes: Bytes,
    pub(super) shape: Vec<usize>,
}

impl Matrix {
    /// Open a matrix of bytes.
    pub(super) fn bytes(path: &Path) -> Result<Self> {
        Self::open(path, BYTES, "bytes")
    }

    /// Open a matrix of integers of 32 bits.
    pub(super) fn integers(path: &Path) -> Result<Self> {
        Self::open(path, INTEGERS, "integers")
    }

    fn open(path: &Path, magic: i32, what: &str) -> Result<Self> {
        let mut bytes = Bytes::open(path)?;
        let mut next = || bytes.four().map(i32::from_le_bytes);
        let (found, axes) = (next()?, next()?);
        if found != magic || !(1..=MOST_AXES).contains(&axes) {
            let reason = format!(
                "is no NORB matrix of {what}: it begins with {found} and {axes} axes, expected \
                 {magic}"
            );
            return Err(bytes.refuse(reason));
        }
        let lengths: Vec<i32> = (0..axes.max(3)).map(|_| next()).collect::<Result<_>>()?;
        let shape = lengths.iter().take(axes as usize).map(|length| usize::try_from(*length).ok());
        match shape.collect() {
            Some(shape) => Ok(Self { bytes, shape }),
            None => Err(bytes.refuse("claims an axis of negative length; is it damaged?")),
        }
    }

    /// Refuse another shape.
    pub(super) fn expect(&self, shape: &[usize]) -> Result<()> {
        if self.shape != shape {
            let reason = format!("has the shape {:?}, expected {shape:?}", self.shape);
            return Err(self.bytes.refuse(reason));
        }
        Ok(())
    }

    /// The next integer.
    pub(super) fn integer(&mut self) -> Result<i32> {
        self.bytes.four().map(i32::from_le_bytes)
    }

    /// Refuse a matrix that goes on.
    pub(super) fn end(mut self) -> Result<()> {
        self.bytes.end()
    }
}
