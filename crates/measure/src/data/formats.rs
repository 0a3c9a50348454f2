//! The file formats that data sets were published in, read with the mistrust that a file from
//! anywhere deserves: no header is believed before the bytes behind it have been seen.

pub(super) mod bytes;
pub(super) mod hdf5;
pub(super) mod idx;
pub(super) mod lanczos;
pub(super) mod mat;
pub(super) mod pictures;
pub(super) mod rows;
