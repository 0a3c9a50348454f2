//! The sheet: marks at places in pixels, as SVG text.

use std::fmt::Write;
use std::path::Path;

use unbraid_measure::files;

use super::colours::Colour;
use crate::draw::picture;
use crate::draw::words::escaped;
use crate::error::Result;

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A sheet being drawn. Places are pixels from the top left corner.
#[derive(Clone, Debug)]
pub struct Figure {
    width: f64,
    height: f64,
    marks: String,
}

/// Writing to a text does not fail, so its result says nothing.
macro_rules! mark {
    ($figure:expr, $($rest:tt)*) => { let _ = writeln!($figure.marks, $($rest)*); };
}

impl Figure {
    /// An empty sheet.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, marks: String::new() }
    }

    /// A text whose base line is at `y`.
    pub fn text(&mut self, (x, y): (f64, f64), size: f64, ink: Colour, end: Anchor, text: &str) {
        let end = match end {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        mark!(
            self,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{ink}" text-anchor="{end}">{text}</text>"#
        );
    }

    /// A line through these points.
    pub fn line(&mut self, points: &[(f64, f64)], ink: Colour, width: f64) {
        let points = listed(points.iter().copied());
        mark!(
            self,
            r#"<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="{width}" stroke-linejoin="round"/>"#
        );
    }

    /// The area between two lines over the same places.
    pub fn area(&mut self, above: &[(f64, f64)], below: &[(f64, f64)], ink: Colour, opacity: f64) {
        let points = listed(above.iter().chain(below.iter().rev()).copied());
        mark!(self, r#"<polygon points="{points}" fill="{ink}" fill-opacity="{opacity}"/>"#);
    }

    /// A dot.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, ink: Colour) {
        mark!(self, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{ink}"/>"#);
    }

    /// A filled rectangle: its left, top, width and height.
    pub fn rectangle(&mut self, [left, top, width, height]: [f64; 4], ink: Colour) {
        mark!(
            self,
            r#"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="{ink}"/>"#
        );
    }

    /// Draw what `draw` draws, cut off at a rectangle.
    pub fn inside(&mut self, [left, top, width, height]: [f64; 4], draw: impl FnOnce(&mut Self)) {
        // A sheet within the sheet is cut at its edge. A clip path would need a name, and the names
        // of two figures on one page would meet.
        mark!(
            self,
            r#"<svg x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" viewBox="{left:.1} {top:.1} {width:.1} {height:.1}">"#
        );
        draw(self);
        mark!(self, "</svg>");
    }

    /// The whole document; `title` is what a reader hears who cannot see it.
    pub fn to_svg(&self, title: &str) -> String {
        let Self { width, height, marks } = self;
        let title = escaped(title);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">
<title>{title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
{marks}</svg>
"##
        )
    }

    /// Write the document, atomically.
    pub fn save(&self, title: &str, path: &Path) -> Result<()> {
        Ok(files::write(path, self.to_svg(title).as_bytes())?)
    }
}

/// How wide a text is, in DejaVu Sans, the first of our fonts.
pub fn text_width(text: &str, size: f64) -> f64 {
    // A picture's size is the height of a line; a figure's, as in CSS, the em, which is smaller.
    const LINE: f64 = 1.164;
    f64::from(picture::text_width(text, (size * LINE) as f32))
}

fn listed(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::figure::INK;

    #[test]
    fn names_of_users_cannot_break_the_document() {
        let mut figure = Figure::new(10.0, 10.0);
        figure.text((1.0, 2.0), 12.0, INK, Anchor::End, "a<b>&\u{7}");
        let svg = figure.to_svg("<title>");
        assert!(svg.contains(">a&lt;b&gt;&amp; </text>"), "{svg}");
        assert!(svg.contains("<title>&lt;title&gt;</title>"), "{svg}");
    }

    #[test]
    fn an_area_goes_forth_above_and_back_below() {
        let mut figure = Figure::new(10.0, 10.0);
        figure.area(&[(0.0, 1.0), (2.0, 1.0)], &[(0.0, 3.0), (2.0, 3.0)], INK, 0.2);
        assert!(figure.to_svg("").contains(r#"points="0.0,1.0 2.0,1.0 2.0,3.0 0.0,3.0""#));
    }
}
