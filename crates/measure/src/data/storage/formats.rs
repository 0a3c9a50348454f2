//! The file formats that data sets were published in, read with the mistrust that a file from
//! anywhere deserves: no header is believed before the bytes behind it have been seen.

pub(crate) mod bytes;
pub(crate) mod hdf5;
pub(crate) mod idx;
pub(crate) mod lanczos;
pub(crate) mod mat;
pub(crate) mod pictures;
pub(crate) mod rows;
