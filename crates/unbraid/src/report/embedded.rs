//! The figures of a run as part of the page itself.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use image::ImageReader;
use unbraid_measure::Error as MeasureError;

use super::base64;
use super::html::{Html, classed, element, opened, with};
use crate::error::Result;
use crate::figures::{Entry, FIGURES, Section};
use crate::run::Run;

/// A drawing wider than this, in pixels, has letters too small to read once it is as narrow as a
/// phone: there it is moved in its box instead.
const READABLE: f64 = 640.0;
/// As narrow as this share of itself a drawing can still be read.
const SMALLEST: f64 = 0.75;

/// The figures of some parts of the page, where they have been drawn.
pub(super) fn figures(run: &Run, sections: &[Section]) -> Result<Html> {
    let mut shown: Vec<&Entry> =
        FIGURES.iter().filter(|figure| sections.contains(&figure.section)).collect();
    shown.sort_by_key(|figure| figure.section);
    let mut out = Html::nothing();
    for Entry { files, caption, .. } in shown {
        let (name, words) = files[0];
        out += figure(&run.file(name), words, *caption)?;
    }
    Ok(out)
}

/// The picture in this file with a caption; nothing if there is no such file. `words` are for those
/// who cannot see it.
pub(crate) fn figure(path: &Path, words: &str, caption: impl Into<Html>) -> Result<Html> {
    if !path.is_file() {
        return Ok(Html::nothing());
    }
    let bytes = fs::read(path).map_err(|source| MeasureError::io("read", path, &source))?;
    let plate = match path.extension().is_some_and(|extension| extension == "svg") {
        true => drawing(&bytes, words),
        false => picture(&bytes, words),
    };
    Ok(element("figure", plate + element("figcaption", caption)))
}

/// A picture; a broad one is moved in its box where the screen is narrow.
fn picture(bytes: &[u8], words: &str) -> Html {
    let inside = image("image/png", bytes, words);
    match dimensions(bytes) {
        Some((width, _)) if f64::from(width) > READABLE => {
            let least = format!("--least:{:.0}px", f64::from(width) * SMALLEST);
            with("div", &[("class", &"plate broad"), ("style", &least)], inside)
        }
        _ => classed("div", "plate", inside),
    }
}

/// A drawing as marks of the page, so that its text can be searched and stays sharp.
fn drawing(bytes: &[u8], words: &str) -> Html {
    match std::str::from_utf8(bytes).ok().and_then(marks) {
        Some(marks) => {
            let wide = width(marks).is_none_or(|width| width > READABLE);
            let class = if wide { "plate drawing broad" } else { "plate drawing" };
            let least = format!("--least:{:.0}px", width(marks).unwrap_or(READABLE) * SMALLEST);
            with("div", &[("class", &class), ("style", &least)], Html::trusted(marks))
        }
        None => classed("div", "plate drawing", image("image/svg+xml", bytes, words)),
    }
}

/// The width that a drawing says it has.
fn width(marks: &str) -> Option<f64> {
    let first = &marks[..marks.find('>')?];
    let number = first.split(" width=\"").nth(1)?;
    number.split('"').next()?.parse().ok()
}

/// A drawing without what stands before its first mark. None if it is not such as we draw: then it
/// is shown as an image, in which nothing can break the page or run.
fn marks(text: &str) -> Option<&str> {
    let marks = text[text.find("<svg")?..].trim_end();
    let ours = marks.ends_with("</svg>") && !marks.to_lowercase().contains("<script");
    ours.then_some(marks)
}

fn image(kind: &str, bytes: &[u8], words: &str) -> Html {
    let source = format!("data:{kind};base64,{}", base64::encoded(bytes));
    match dimensions(bytes) {
        // With its size the page does not jump while it is read.
        Some((width, height)) => opened(
            "img",
            &[("src", &source), ("alt", &words), ("width", &width), ("height", &height)],
        ),
        None => opened("img", &[("src", &source), ("alt", &words)]),
    }
}

fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_taken_as_it_is_and_anything_else_as_an_image() {
        let plain = "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"><g/></svg>\n";
        assert_eq!(marks(plain), Some("<svg viewBox=\"0 0 1 1\"><g/></svg>"));
        assert_eq!(marks("<svg><script>x</script></svg>"), None);
        assert_eq!(marks("<svg><g>"), None);
        let shown = drawing(b"<svg><g>", "half a drawing").into_string();
        assert!(shown.contains("<img src=\"data:image/svg+xml;base64,"), "{shown}");
    }

    #[test]
    fn a_broad_drawing_is_told_from_a_narrow_one() {
        assert_eq!(width("<svg height=\"3\" width=\"672\"><g width=\"1\"/></svg>"), Some(672.0));
        assert_eq!(width("<svg viewBox=\"0 0 1 1\"></svg>"), None);
    }

    #[test]
    fn a_missing_file_is_no_figure() {
        assert!(figure(Path::new("nowhere.png"), "", "").unwrap().is_nothing());
    }
}
