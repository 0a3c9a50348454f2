//! Figures: curves and maps in panels with axes, written as SVG.
//!
//! [`Figure`] is the sheet and writes the marks, [`Panel`] a rectangle on it with two axes, and
//! `colours` says which colours are told apart. SVG is text, so no library draws for us; whoever
//! wants one changes this folder only.

mod colours;
mod panel;
mod svg;

pub use colours::{Colour, INK, PALE, category, diverging, ordered};
pub use panel::{Extent, Panel};
pub use svg::{Anchor, Figure, text_width};
