//! Pieces of a page. One can be made of text, which is escaped, and of other pieces; so a name from
//! the data of a user cannot become a mark.

use std::fmt::{Display, Write};
use std::ops::{Add, AddAssign};

use crate::draw::words::escaped;

const STYLE: &str = include_str!("style.css");

/// Neither scripts nor anything from elsewhere, and a browser sees to it.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// A piece of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// What is known to be well formed, such as our own figures and styles.
    pub(crate) fn trusted(marks: impl Into<String>) -> Self {
        Self(marks.into())
    }

    /// Nothing.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        Self(escaped(text))
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        Self(escaped(&text))
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(pieces: I) -> Self {
        Self(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

impl<T: Into<Html>> Add<T> for Html {
    type Output = Self;

    fn add(mut self, other: T) -> Self {
        self += other;
        self
    }
}

impl<T: Into<Html>> AddAssign<T> for Html {
    fn add_assign(&mut self, other: T) {
        self.0.push_str(&other.into().0);
    }
}

/// Elements that stand on a line of their own, so that a person can read the source.
const BLOCKS: [&str; 13] = [
    "body", "main", "header", "section", "footer", "h1", "h2", "p", "figure", "table", "tr", "ul",
    "details",
];

/// `<name>inside</name>`
pub(crate) fn element(name: &'static str, inside: impl Into<Html>) -> Html {
    with(name, &[], inside)
}

/// `<name class="class">inside</name>`
pub(crate) fn classed(name: &'static str, class: &'static str, inside: impl Into<Html>) -> Html {
    with(name, &[("class", &class)], inside)
}

/// An element with attributes.
pub(crate) fn with(
    name: &'static str,
    attributes: &[(&'static str, &dyn Display)],
    inside: impl Into<Html>,
) -> Html {
    let mut out = opened(name, attributes);
    out.0.push_str(&inside.into().0);
    let _ = write!(out.0, "</{name}>");
    if BLOCKS.contains(&name) {
        out.0.push('\n');
    }
    out
}

/// An element that has no inside, such as an image: never closed.
pub(crate) fn opened(name: &'static str, attributes: &[(&'static str, &dyn Display)]) -> Html {
    let mut out = format!("<{name}");
    for (key, value) in attributes {
        let _ = write!(out, " {key}=\"{}\"", escaped(&value.to_string()));
    }
    out.push('>');
    Html(out)
}

/// A name as one types it.
pub(crate) fn code(text: &str) -> Html {
    element("code", text)
}

/// Words in which names stand between backticks, as messages have them.
pub(crate) fn prose(text: &str) -> Html {
    let pieces = text.split('`').enumerate();
    pieces.map(|(place, piece)| if place % 2 == 1 { code(piece) } else { piece.into() }).collect()
}

/// A name in a table, which is not broken at its hyphens.
pub(crate) fn name(text: &str) -> Html {
    classed("span", "name", text)
}

/// A whole page that needs nothing else.
pub(crate) fn document(title: &str, main: Html) -> String {
    let head = opened("meta", &[("charset", &"utf-8")])
        + opened("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &POLICY)])
        + opened(
            "meta",
            &[("name", &"viewport"), ("content", &"width=device-width, initial-scale=1")],
        )
        + opened("meta", &[("name", &"color-scheme"), ("content", &"light dark")])
        + element("title", title)
        + element("style", Html::trusted(STYLE));
    let page = element("head", head) + element("body", element("main", main));
    let page = with("html", &[("lang", &"en")], page);
    format!("<!doctype html>\n{}\n", page.into_string())
}

/// A part of the page under its heading; nothing if there is nothing in it.
pub(crate) fn section(id: &'static str, heading: &str, inside: Html) -> Html {
    match inside.is_nothing() {
        true => inside,
        false => with("section", &[("id", &id)], element("h2", heading) + "\n" + inside),
    }
}

/// A column of a table: what stands above it, and whether it holds numbers.
pub(crate) type Column<'a> = (&'a str, Align);

/// On which side the cells of a column begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers, whose digits stand below each other.
    Right,
}

/// A table in a box of its own, in which it can be moved where the screen is narrow.
pub(crate) fn table(columns: &[Column<'_>], rows: impl IntoIterator<Item = Vec<Html>>) -> Html {
    let cell = |name: &'static str, align: Align, inside: Html| match align {
        Align::Left => element(name, inside),
        Align::Right => classed(name, "number", inside),
    };
    let head: Html =
        columns.iter().map(|(head, align)| cell("th", *align, (*head).into())).collect();
    let row = |cells: Vec<Html>| -> Html {
        let cells = cells.into_iter().zip(columns);
        element(
            "tr",
            cells.map(|(inside, (_, align))| cell("td", *align, inside)).collect::<Html>(),
        )
    };
    let body: Html = rows.into_iter().map(row).collect();
    let table = element("thead", element("tr", head)) + element("tbody", body);
    classed("div", "wide", element("table", table))
}

/// A number with three decimals, or a dash where there is none.
pub(crate) fn number(value: Option<f64>) -> Html {
    value.map_or("–".into(), |value| signed(value, 3))
}

/// A number that may be small, as errors of pictures are: with three digits, whatever its size.
pub(crate) fn small_number(value: Option<f64>) -> Html {
    let decimals = |size: f64| match (1e-6..0.1).contains(&size) {
        true => (2.0 - size.log10().floor()) as usize,
        false => 3,
    };
    value.map_or("–".into(), |value| signed(value, decimals(value.abs())))
}

/// A minus is as wide as a digit; a hyphen is not.
fn signed(value: f64, decimals: usize) -> Html {
    format!("{value:.decimals$}").replace('-', "−").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_pieces_are_not_escaped_twice() {
        let piece = classed("p", "lead", Html::from("a < b & ") + code("<script>"));
        let expected = "<p class=\"lead\">a &lt; b &amp; <code>&lt;script&gt;</code></p>\n";
        assert_eq!(piece.into_string(), expected);
    }

    #[test]
    fn an_attribute_cannot_end_before_its_end() {
        let image = opened("img", &[("alt", &"\"><script>"), ("width", &7)]);
        let expected = "<img alt=\"&quot;&gt;&lt;script&gt;\" width=\"7\">";
        assert_eq!(image.into_string(), expected);
    }

    #[test]
    fn a_table_says_which_columns_are_numbers() {
        let columns = [("name", Align::Left), ("value", Align::Right)];
        let text = table(&columns, [vec!["<x>".into(), number(Some(-0.5))]]).into_string();
        assert!(text.contains("<th class=\"number\">value</th>"), "{text}");
        assert!(text.contains("<td>&lt;x&gt;</td><td class=\"number\">−0.500</td>"), "{text}");
    }

    #[test]
    fn names_between_backticks_are_set_as_code() {
        let text = prose("factor `a<b` is `odd").into_string();
        assert_eq!(text, "factor <code>a&lt;b</code> is <code>odd</code>");
    }

    #[test]
    fn an_empty_section_is_not_there() {
        assert!(section("graph", "The graph", Html::nothing()).is_nothing());
    }

    #[test]
    fn a_small_number_keeps_its_digits() {
        let written = |value: f64| small_number(Some(value)).into_string();
        assert_eq!([0.0, 0.5, -0.000_41].map(written), ["0.000", "0.500", "−0.000410"]);
        assert_eq!([Some(-0.0064), None].map(|v| number(v).into_string()), ["−0.006", "–"]);
    }
}
