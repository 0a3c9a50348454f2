//! How data sets are drawn: every combination of factor values as a row, and the shapes in the images.

pub mod drawn;
pub(crate) mod field;
pub mod grid;
pub mod plot;
pub mod scripts;
pub mod sprites;
