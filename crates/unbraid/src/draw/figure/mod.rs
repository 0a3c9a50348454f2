//! Figures: curves and maps in panels with axes, written as SVG.
//!
//! [`Figure`] is the sheet and writes the marks, [`Panel`] a rectangle on it with two axes, [`HeatMap`] a table of numbers in
//! colours, and `colours` says which colours are told apart. SVG is text, so no library draws for us; whoever
//! wants one changes this folder only.

mod colours;
mod heat_map;
mod panel;
mod svg;

pub use colours::{Colour, INK, PALE, category, diverging, ordered};
pub use heat_map::{HeatMap, Scale};
pub use panel::{Extent, Panel};
pub use svg::{Anchor, Figure, text_width};
