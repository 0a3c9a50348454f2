//! What an analysis finds: sentences, tables and pictures.

use image::RgbImage;
use serde_json::{Value as Json, json};
use unbraid_measure::tables::frame::{Frame, Values};

use super::statistics::Estimate;
use crate::draw::figure::Figure;

/// What an analysis found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// What came out, a sentence each.
    pub said: Vec<String>,
    /// Its tables.
    pub grids: Vec<Grid>,
    /// Its pictures.
    pub pictures: Vec<Picture>,
}

/// A picture with its name, without ending, and what stands below it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The name of its file, without the ending.
    pub name: String,
    /// What stands below it.
    pub caption: String,
    /// What it is made of.
    pub drawn: Drawn,
}

/// What a picture is made of.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Marks, kept as SVG.
    Marks(Figure),
    /// Pixels, kept as PNG.
    Pixels(RgbImage),
}

/// A table.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The name of its file, without the ending.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// The names of its columns.
    pub head: Vec<String>,
    /// A row for each line.
    pub rows: Vec<Vec<Cell>>,
}

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Nothing,
    /// Words.
    Words(String),
    /// A count.
    Count(usize),
    /// A number, between -1 and 1 or of any size.
    Number(f64),
    /// A share, shown in percent.
    Share(f64),
    /// A number with its interval, and what is published of it.
    Estimate {
        /// Ours.
        found: Estimate,
        /// Theirs.
        published: Option<f64>,
        /// Whether both are shares, shown in percent.
        share: bool,
    },
}

impl Cell {
    /// A name.
    pub(crate) fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into())
    }

    /// A number, if there is one.
    pub(crate) fn number(value: Option<f64>) -> Self {
        value.map_or(Self::Nothing, Self::Number)
    }

    /// A correlation or the like with its interval.
    pub(crate) fn estimate(found: Option<Estimate>) -> Self {
        found.map_or(Self::Nothing, |found| Self::Estimate { found, published: None, share: false })
    }

    /// A share with its interval, and what is published of it.
    pub(crate) fn share(found: Option<Estimate>, published: Option<f64>) -> Self {
        found.map_or(Self::Nothing, |found| Self::Estimate { found, published, share: true })
    }

    /// As it is shown: "43 [31, 58]".
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Nothing => "–".into(),
            Self::Words(words) => words.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(value) => number(*value),
            Self::Share(value) => percent(*value),
            Self::Estimate { found, share, .. } => written(found, *share),
        }
    }

    /// What is published of it, as it is shown.
    pub(crate) fn published(&self) -> Option<String> {
        match self {
            Self::Estimate { published: Some(value), share, .. } => {
                Some(if *share { percent(*value) } else { number(*value) })
            }
            _ => None,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Self::Words(_))
    }

    /// A number with its interval, where there is one.
    pub(crate) fn found(&self) -> Option<Estimate> {
        match self {
            Self::Estimate { found, .. } => Some(*found),
            _ => None,
        }
    }

    fn value(&self) -> Option<f64> {
        match self {
            Self::Nothing | Self::Words(_) => None,
            Self::Count(count) => Some(*count as f64),
            Self::Number(value) | Self::Share(value) => Some(*value),
            Self::Estimate { found, .. } => Some(found.value),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Words(words) => json!(words),
            Self::Estimate { found, published, .. } => {
                json!({"value": found.value, "interval": found.interval, "published": published})
            }
            other => json!(other.value()),
        }
    }
}

/// An estimate as it stands in a sentence: "43 % [31, 58]" or "0.43 [0.31, 0.58]".
pub(crate) fn said(found: &Estimate, share: bool) -> String {
    let text = written(found, share);
    match (share, text.split_once(' ')) {
        (false, _) => text,
        (true, None) => format!("{text} %"),
        (true, Some((value, interval))) => format!("{value} % {interval}"),
    }
}

fn written(found: &Estimate, share: bool) -> String {
    let one = |value: f64| if share { percent(value) } else { number(value) };
    match found.interval {
        None => one(found.value),
        Some([low, high]) => format!("{} [{}, {}]", one(found.value), one(low), one(high)),
    }
}

/// Two digits behind the point, more for small numbers; a minus as wide as a digit.
fn number(value: f64) -> String {
    let text = match value.abs() {
        size if size == 0.0 || size >= 0.095 => format!("{value:.2}"),
        size if size >= 0.0095 => format!("{value:.3}"),
        size if size >= 1e-4 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    };
    text.replace('-', "−")
}

fn percent(value: f64) -> String {
    // Adding 0 makes a plain zero of a negative one.
    format!("{:.0}", (value * 100.0).round() + 0.0).replace('-', "−")
}

/// A number of a cell.
type Of<'a> = &'a dyn Fn(&Cell) -> Option<f64>;

impl Grid {
    /// A table with these columns.
    pub(crate) fn new(name: &str, title: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|name| (*name).to_string()).collect();
        Self { name: name.into(), title: title.into(), head, rows: vec![] }
    }

    /// The same with more columns.
    pub(crate) fn and<S: Into<String>>(mut self, more: impl IntoIterator<Item = S>) -> Self {
        self.head.extend(more.into_iter().map(Into::into));
        self
    }

    /// As columns for any program: intervals and published numbers have columns of their own.
    pub(crate) fn frame(&self) -> Frame {
        let mut columns = Vec::new();
        for (k, name) in self.head.iter().enumerate() {
            let cells = || self.rows.iter().map(move |row| &row[k]);
            let numbers =
                |of: &dyn Fn(&Cell) -> Option<f64>| Values::Numbers(cells().map(of).collect());
            let words = cells().any(|cell| matches!(cell, Cell::Words(_)));
            if words {
                let word =
                    |cell: &Cell| Some(cell).filter(|c| **c != Cell::Nothing).map(Cell::text);
                columns.push((name.clone(), Values::Words(cells().map(word).collect())));
                continue;
            }
            columns.push((name.clone(), numbers(&Cell::value)));
            let end = |place: usize| {
                move |cell: &Cell| match cell {
                    Cell::Estimate { found, .. } => Some(found.interval?[place]),
                    _ => None,
                }
            };
            let theirs = |cell: &Cell| match cell {
                Cell::Estimate { published, .. } => *published,
                _ => None,
            };
            for (suffix, of) in [("low", &end(0) as Of), ("high", &end(1)), ("published", &theirs)]
            {
                if cells().any(|cell| of(cell).is_some()) {
                    columns.push((format!("{name} {suffix}"), numbers(of)));
                }
            }
        }
        Frame { columns }
    }

    pub(crate) fn to_json(&self) -> Json {
        let rows: Vec<Json> = self
            .rows
            .iter()
            .map(|row| self.head.iter().cloned().zip(row.iter().map(Cell::to_json)).collect())
            .collect();
        json!({"name": self.name, "title": self.title, "rows": rows})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let found = Estimate { value: 0.434, interval: Some([0.305, 0.58]) };
        let lone = Estimate { value: -0.5, interval: None };
        let mut grid = Grid::new("g", "A grid", &["data", "count"]).and(["share", "rank"]);
        grid.rows = vec![vec![
            Cell::words("squares"),
            Cell::Count(3),
            Cell::share(Some(found), Some(0.41)),
            Cell::estimate(Some(lone)),
        ]];
        grid
    }

    #[test]
    fn cells_are_shown_with_their_intervals() {
        let grid = grid();
        let texts: Vec<String> = grid.rows[0].iter().map(Cell::text).collect();
        assert_eq!(texts, ["squares", "3", "43 [31, 58]", "−0.50"]);
        assert_eq!(grid.rows[0][2].published(), Some("41".into()));
        assert_eq!([0.0, -0.001, 0.0123, 3e-7].map(number), ["0.00", "−0.0010", "0.012", "3.0e−7"]);
        let Cell::Estimate { found, .. } = &grid.rows[0][2] else { panic!("an estimate") };
        assert_eq!(said(found, true), "43 % [31, 58]");
    }

    #[test]
    fn a_frame_has_columns_for_intervals_and_published_numbers() {
        let frame = grid().frame();
        let names: Vec<&str> = frame.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["data", "count", "share", "share low", "share high", "share published", "rank"]
        );
        assert_eq!(frame.column("share high").unwrap().number(0), Some(0.58));
        assert_eq!(grid().to_json()["rows"][0]["share"]["published"], 0.41);
    }
}
