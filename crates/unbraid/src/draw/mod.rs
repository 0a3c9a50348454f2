//! Drawing: sheets of pictures, figures in SVG, animations, and how numbers are written.

pub mod animation;
pub mod figure;
pub mod picture;
pub mod words;
