//! Columns that are not observed but known: factors, segments, episodes. Their numbers stay as they
//! are; words are numbered in alphabetical order.

use crate::tables::Column;
use crate::tables::profile::{Kind, Profile};
use crate::tables::sheet::{Cell, cells};

/// A column that is being read.
pub(in crate::data::sets) struct Builder {
    name: String,
    kind: Kind,
    commas: bool,
    whole: Vec<i64>,
    real: Vec<f32>,
    words: Vec<String>,
    /// Whether each row has a value.
    there: Vec<bool>,
}

impl Builder {
    pub(in crate::data::sets) fn new(profile: &Profile) -> Self {
        let (whole, real, words, there) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (name, kind, commas) = (profile.name.clone(), profile.kind(), profile.commas);
        Self { name, kind, commas, whole, real, words, there }
    }

    pub(in crate::data::sets) fn see(&mut self, cell: Cell) {
        let there = match cell {
            Cell::Missing => false,
            Cell::Text(text) => self.text(text),
            Cell::Number(number) => {
                self.real.push(number as f32);
                true
            }
            Cell::Whole(number) => {
                self.whole.push(number);
                true
            }
            Cell::Time(seconds) => {
                self.whole.push((seconds * 1e3) as i64);
                true
            }
        };
        self.there.push(there);
    }

    /// Take a cell of text; whether there is a value.
    fn text(&mut self, text: &str) -> bool {
        if cells::is_missing(text) {
            return false;
        }
        match self.kind {
            Kind::Number { whole: true } => match text.parse() {
                Ok(number) => self.whole.push(number),
                Err(_) => return false,
            },
            Kind::Number { whole: false } => {
                // Straight to 32 bits, as numbers without a scale have always been read.
                let number = match self.commas {
                    true => text.replace(',', ".").parse(),
                    false => text.parse(),
                };
                match number {
                    Ok(number) => self.real.push(number),
                    Err(_) => return false,
                }
            }
            _ => self.words.push(text.into()),
        }
        true
    }

    /// The column; a value that is not there is no number.
    pub(in crate::data::sets) fn finish(self) -> Column {
        let name = Some(self.name);
        let mut column = if !self.words.is_empty() {
            Column::words(name, &self.words)
        } else if !self.whole.is_empty() {
            Column::whole(name, &self.whole)
        } else {
            Column::real(name, self.real)
        };
        if self.there.contains(&false) {
            let mut known = column.numbers.iter();
            let place = |there: &bool| match there {
                true => known.next().copied().unwrap_or(f32::NAN),
                false => f32::NAN,
            };
            column.numbers = self.there.iter().map(place).collect();
        }
        column
    }
}
