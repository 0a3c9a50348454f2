//! What the columns of a sheet hold, found in one pass and little memory: kinds, ranges, gaps, means,
//! whether a column counts the rows.

use super::sheet::{Cell, Decimal, Sheet, Spot, cells};
use crate::error::Result;

mod distinct;
mod moments;
mod order;
mod quantiles;

use distinct::Distinct;
pub use moments::Moments;
use order::Order;
use quantiles::Sample;

/// As many different words are listed with their counts.
pub const LISTED: usize = 256;
/// Fewer rows than this say little about what a column is.
const FEW: usize = 20;
/// A share of different values from which a column of words is taken for names of the rows.
const NEARLY_ALL: f64 = 0.9;
/// A column of different whole numbers numbers the rows if chance would repeat this many.
const REPEATS_EXPECTED: f64 = 10.0;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Number {
        /// All of them whole.
        whole: bool,
    },
    /// Words.
    Words,
    /// Days or times.
    Time,
    /// Numbers, and words that are none.
    Mixed,
    /// No value at all.
    Nothing,
}

/// A cell that is worth telling of.
pub type Found = Option<(u64, String)>;

/// One column.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// How many cells it has.
    pub rows: usize,
    /// Mean, spread and range of its numbers.
    pub moments: Moments,
    /// The first cell without a value.
    pub first_missing: Found,
    /// The first cell that is neither a number nor a time.
    pub first_word: Found,
    /// The first number that is not finite.
    pub first_infinite: Found,
    /// Whether its numbers have decimal commas.
    pub commas: bool,
    /// The first and the last time.
    pub times: Option<[String; 2]>,
    missing: usize,
    no_number: usize,
    thousands: Found,
    clear_commas: bool,
    point: Found,
    numbers: usize,
    wholes: usize,
    words: usize,
    listed: std::collections::BTreeMap<String, u64>,
    distinct: Distinct,
    order: Order,
    sample: Sample,
}

/// Read a sheet once; how many rows it has, and what its columns hold.
pub fn of(sheet: &Sheet, decimal: Decimal) -> Result<(usize, Vec<Profile>)> {
    let reading = Reading { decimal, free_commas: sheet.has_free_commas() };
    let mut profiles: Vec<Profile> = sheet.names.iter().map(|name| Profile::new(name)).collect();
    let rows = sheet.each(|column, spot, cell| {
        profiles[column].see(spot, cell, &reading);
        Ok(())
    })?;
    Ok((rows, profiles))
}

/// How numbers are read.
struct Reading {
    decimal: Decimal,
    free_commas: bool,
}

impl Profile {
    /// Of numbers that are in memory already.
    pub fn of_numbers(name: &str, numbers: impl Iterator<Item = f32>) -> Self {
        let mut profile = Self::new(name);
        for (row, number) in numbers.enumerate() {
            profile.rows += 1;
            let whole = number.fract() == 0.0;
            profile.number(Spot { row, line: row as u64 }, f64::from(number), whole);
        }
        profile
    }

    /// Of cells that are in memory already.
    pub fn of_cells<'a>(name: &str, cells: impl Iterator<Item = Cell<'a>>) -> Self {
        let mut profile = Self::new(name);
        let reading = Reading { decimal: Decimal::Point, free_commas: false };
        for (row, cell) in cells.enumerate() {
            profile.see(Spot { row, line: row as u64 }, cell, &reading);
        }
        profile
    }

    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            rows: 0,
            moments: Moments::default(),
            first_missing: None,
            first_word: None,
            first_infinite: None,
            commas: false,
            times: None,
            missing: 0,
            no_number: 0,
            thousands: None,
            clear_commas: false,
            point: None,
            numbers: 0,
            wholes: 0,
            words: 0,
            listed: std::collections::BTreeMap::new(),
            distinct: Distinct::default(),
            order: Order::default(),
            sample: Sample::default(),
        }
    }

    fn see(&mut self, spot: Spot, cell: Cell, reading: &Reading) {
        self.rows += 1;
        match cell {
            Cell::Missing => self.miss(spot, "nothing"),
            Cell::Number(number) => self.number(spot, number, false),
            Cell::Whole(number) => self.number(spot, number as f64, true),
            Cell::Time(seconds) => {
                self.time(|| cells::moment(seconds), distinct::of_number(seconds));
            }
            Cell::Text(text) => self.text(spot, text, reading),
        }
    }

    fn text(&mut self, spot: Spot, text: &str, reading: &Reading) {
        if let Some(number) = cells::number(text).filter(|_| reading.decimal != Decimal::Comma) {
            if self.point.is_none() && text.contains('.') {
                self.point = Some(seen_at(spot, text));
            }
            return self.number(spot, number, cells::is_whole(text));
        }
        if cells::is_missing(text) {
            return self.miss(spot, text);
        }
        if reading.decimal != Decimal::Point
            && let Some(number) = comma_or_whole(text)
        {
            self.commas |= text.contains(',');
            let unclear = reading.decimal == Decimal::Auto && !reading.free_commas;
            match unclear && cells::has_thousands(text) {
                true => {
                    self.thousands = self.thousands.take().or_else(|| Some(seen_at(spot, text)))
                }
                false => self.clear_commas |= text.contains(','),
            }
            return self.number(spot, number, cells::is_whole(text));
        }
        if cells::is_time(text) {
            return self.time(|| text.to_string(), distinct::of_text(text));
        }
        self.no_number += usize::from(cells::is_no_number(text));
        self.words += 1;
        self.first_word = self.first_word.take().or_else(|| Some(seen_at(spot, text)));
        self.distinct.see(distinct::of_text(text));
        if let Some(count) = self.listed.get_mut(text) {
            *count += 1;
        } else if self.listed.len() <= LISTED {
            self.listed.insert(text.into(), 1);
        }
    }

    fn miss(&mut self, spot: Spot, text: &str) {
        self.missing += 1;
        self.first_missing = self.first_missing.take().or_else(|| Some(seen_at(spot, text)));
    }

    fn number(&mut self, spot: Spot, number: f64, whole: bool) {
        self.numbers += 1;
        self.wholes += usize::from(whole);
        if !number.is_finite() {
            let text = number.to_string();
            self.first_infinite = self.first_infinite.take().or_else(|| Some(seen_at(spot, &text)));
            return;
        }
        self.moments.see(number);
        self.distinct.see(distinct::of_number(number));
        self.order.see(number);
        self.sample.see(number);
    }

    fn time(&mut self, text: impl Fn() -> String, bits: u64) {
        self.distinct.see(bits);
        match &mut self.times {
            None => self.times = Some([text(), text()]),
            Some([_, last]) => *last = text(),
        }
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        // A few dashes among numbers are gaps, not words.
        let words = if self.numbers > 0 { self.words - self.no_number } else { self.words };
        match (self.numbers > 0, words > 0, self.times.is_some()) {
            (true, false, false) => Kind::Number { whole: self.wholes == self.numbers },
            (false, true, _) => Kind::Words,
            (false, false, true) => Kind::Time,
            (false, false, false) => Kind::Nothing,
            _ => Kind::Mixed,
        }
    }

    /// A number whose comma or point may be decimal or part thousands: the first of those with commas,
    /// where every one may, or one with a point among those with commas.
    pub fn unclear(&self) -> Found {
        let comma = self.thousands.clone().filter(|_| !self.clear_commas);
        comma.or_else(|| self.point.clone().filter(|_| self.commas))
    }

    /// How many cells have no value.
    pub fn missing(&self) -> usize {
        self.missing + if self.numbers > 0 { self.no_number } else { 0 }
    }

    /// About how many different values there are; exactly, if they are few.
    pub fn different(&self) -> usize {
        self.distinct.count()
    }

    /// Whether every value is the same.
    pub fn is_constant(&self) -> bool {
        self.rows > 1 && self.distinct.count() == 1 && self.first_infinite.is_none()
    }

    /// The words with their counts, in alphabetical order; none if there are more than [`LISTED`].
    pub fn words(&self) -> Option<&std::collections::BTreeMap<String, u64>> {
        (self.listed.len() <= LISTED).then_some(&self.listed)
    }

    /// A quantile of the numbers, of 16,384 rows or more spread over the file.
    pub fn quantile(&self, share: f64) -> f64 {
        self.sample.quantile(share)
    }

    /// Whether it says when a row was observed.
    pub fn is_time(&self) -> bool {
        self.kind() == Kind::Time || (self.names_rows().is_some() && says(&self.name, &TIMES))
    }

    /// Whether it says which row it is and nothing of what was measured, and how.
    pub fn names_rows(&self) -> Option<&'static str> {
        if self.rows < FEW {
            return None;
        }
        let values = self.rows - self.missing();
        let nearly_all = self.different() as f64 >= NEARLY_ALL * values as f64;
        match self.kind() {
            Kind::Words | Kind::Mixed if nearly_all => Some("names the rows, each by its own word"),
            Kind::Number { .. } if self.order.is_even() => Some("numbers the rows in their order"),
            Kind::Number { whole: true } => self.numbers_rows(nearly_all),
            Kind::Number { whole: false }
                if self.order.always_rises() && says(&self.name, &TIMES) =>
            {
                Some("is a time that goes on from row to row")
            }
            _ => None,
        }
    }

    fn numbers_rows(&self, nearly_all: bool) -> Option<&'static str> {
        if self.order.always_rises() {
            return Some("counts on from row to row");
        }
        if nearly_all && says(&self.name, &IDENTITIES) {
            return Some("numbers the rows");
        }
        // n numbers drawn from a range of R repeat n²/2R times by chance; none of these does.
        let [low, high] = self.moments.range();
        let rows = self.moments.count() as f64;
        let expected = rows * rows / (2.0 * (high - low + 1.0));
        let alone = self.distinct.repeats_per_value() == 0;
        let sure = expected * self.distinct.share_kept() >= REPEATS_EXPECTED;
        (alone && sure).then_some("numbers the rows, no number twice")
    }
}

/// Names of columns of times, and of columns of names.
const TIMES: [&str; 6] = ["time", "timestamp", "t", "seconds", "date", "datetime"];
const IDENTITIES: [&str; 8] = ["id", "index", "key", "uuid", "row", "nr", "no", "number"];

/// Whether a name has one of these words: `machine_id`, `RowId`, `Time [s]`.
fn says(name: &str, words: &[&str]) -> bool {
    let mut spaced = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_uppercase() && lower {
            spaced.push(' ');
        }
        lower = c.is_lowercase();
        spaced.extend(c.to_lowercase());
    }
    spaced.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

fn comma_or_whole(text: &str) -> Option<f64> {
    if cells::is_whole(text) {
        return cells::number(text);
    }
    cells::comma_number(text)
}

/// The start of a text, and its line.
fn seen_at(spot: Spot, text: &str) -> (u64, String) {
    (spot.line, text.chars().take(40).collect())
}

#[cfg(test)]
mod tests;
