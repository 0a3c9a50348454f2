//! The second look at a file: its rows as numbers, gaps dropped or filled.

use super::encoding::Encoding;
use super::known::Builder;
use super::uses::Use;
use super::{Columns, Gaps, Plan, Reading, Scale};
use crate::data::about::Role;
use crate::error::{Error, Result};
use crate::tables::Column;
use crate::tables::profile::Profile;
use crate::tables::sheet::{Cell, Sheet, Spot, cells};

/// Where the numbers of a column go.
enum Target {
    /// To these places of an observation, from the first on.
    Slots(usize),
    /// To a column that is built by itself.
    Built(usize),
    Nowhere,
}

impl Plan<'_> {
    /// Read the rows.
    pub(super) fn fill(self) -> Result<Columns> {
        let width = self.width();
        let too_many = || Error::format(self.sheet.path(), "has more numbers than memory can hold");
        let count = self.rows.checked_mul(width).ok_or_else(too_many)?;
        let mut observed = Vec::new();
        observed.try_reserve_exact(count).map_err(|_| too_many())?;
        observed.resize(count, f32::NAN);
        let (targets, mut built) = self.targets();
        self.sheet.each(|column, spot, cell| {
            match targets[column] {
                Target::Nowhere => {}
                Target::Built(place) => built[place].see(cell),
                Target::Slots(first) => {
                    let (profile, each) = (&self.profiles[column], &self.uses[column]);
                    let Use::Observed(encoding) = each else { return Ok(()) };
                    let from = spot.row * width + first;
                    let Some(out) = observed.get_mut(from..from + encoding.width()) else {
                        return Err(changed(&self.sheet));
                    };
                    write(&self.sheet, &self.reading, profile, encoding, spot, cell, out)?;
                }
            }
            Ok(())
        })?;
        let built: Vec<Column> = built.into_iter().map(Builder::finish).collect();
        if built.iter().any(|column| column.numbers.len() != self.rows) {
            return Err(changed(&self.sheet));
        }
        self.as_they_stand(&targets, &built, &mut observed, width);
        self.gathered(&targets, built, observed, width)
    }

    /// Where each column goes, and the columns that are built.
    fn targets(&self) -> (Vec<Target>, Vec<Builder>) {
        let mut first = vec![0; self.uses.len()];
        self.places().for_each(|(column, slot)| first[column] = slot);
        let mut built = Vec::new();
        let place = |(column, each): (usize, &Use)| match each {
            Use::Known { .. } | Use::Observed(Encoding::AsItStands) => {
                built.push(Builder::new(&self.profiles[column]));
                Target::Built(built.len() - 1)
            }
            Use::Observed(_) => Target::Slots(first[column]),
            Use::Time(_) | Use::LeftOut(_) => Target::Nowhere,
        };
        (self.uses.iter().enumerate().map(place).collect(), built)
    }

    /// Columns that are observed as they stand: whole numbers too large for 32 bits have become their
    /// order.
    fn as_they_stand(
        &self,
        targets: &[Target],
        built: &[Column],
        observed: &mut [f32],
        width: usize,
    ) {
        for (column, slot) in self.places() {
            if let (Use::Observed(Encoding::AsItStands), Target::Built(place)) =
                (&self.uses[column], &targets[column])
            {
                let slots = observed.iter_mut().skip(slot).step_by(width);
                slots.zip(&built[*place].numbers).for_each(|(slot, number)| *slot = *number);
            }
        }
    }

    /// Rows without their gaps, and all that is known of them.
    fn gathered(
        self,
        targets: &[Target],
        built: Vec<Column>,
        mut observed: Vec<f32>,
        width: usize,
    ) -> Result<Columns> {
        let mut known: Vec<Vec<Option<Column>>> =
            self.named.iter().map(|list| vec![None; list.names.len()]).collect();
        let mut built: Vec<Option<Column>> = built.into_iter().map(Some).collect();
        for (each, target) in self.uses.iter().zip(targets) {
            if let (Use::Known { list, place }, Target::Built(from)) = (each, target) {
                known[*list][*place] = built[*from].take();
            }
        }
        let mut known: Vec<Vec<Column>> =
            known.into_iter().map(|list| list.into_iter().flatten().collect()).collect();
        let mut about = self.about();
        let mut places: Vec<usize> = (0..self.rows).collect();
        match self.reading.missing {
            Gaps::Drop => {
                let needed = self.named.iter().zip(&known);
                let needed = needed.filter(|(list, _)| list.role != Role::Factor);
                let needed: Vec<&Column> = needed.flat_map(|(_, columns)| columns).collect();
                let whole = |row: &usize| {
                    observed[row * width..(row + 1) * width].iter().all(|v| !v.is_nan())
                        && needed.iter().all(|column| !column.numbers[*row].is_nan())
                };
                places.retain(whole);
                if places.len() < self.rows {
                    about.remarks.push(format!(
                        "{} of {} rows are dropped, since values are missing in {}",
                        self.rows - places.len(),
                        self.rows,
                        self.with_gaps()
                    ));
                    keep(&mut observed, width, &places);
                    for column in known.iter_mut().flatten() {
                        keep(&mut column.numbers, 1, &places);
                    }
                }
                if places.is_empty() {
                    let reason = format!(
                        "has no row without a gap in {}; list columns with many gaps in \
                         `data.ignore`, or set `data.missing` to \"impute\"",
                        self.with_gaps()
                    );
                    return Err(Error::format(self.sheet.path(), reason));
                }
            }
            Gaps::Impute => self.impute(&mut observed, width, &mut about.remarks),
            Gaps::Refuse => {}
        }
        about.remarks.extend(unlabelled(self.named.iter().zip(&known), places.len()));
        let adjacent = places.windows(2).map(|pair| pair[0] + 1 == pair[1]).collect();
        let (rows, reading) = (places.len(), self.reading);
        Ok(Columns { observed, width, rows, known, adjacent, about, reading })
    }

    /// The observed columns that have gaps.
    fn with_gaps(&self) -> String {
        let all = self.profiles.iter().zip(&self.uses);
        let gaps = all.filter(|(profile, each)| {
            let needed = match each {
                Use::Observed(_) => true,
                Use::Known { list, .. } => self.named[*list].role != Role::Factor,
                _ => false,
            };
            needed && profile.missing() > 0
        });
        gaps.map(|(profile, _)| format!("`{}`", profile.name)).collect::<Vec<_>>().join(", ")
    }

    /// Fill gaps with what is in the middle of the column.
    fn impute(&self, observed: &mut [f32], width: usize, remarks: &mut Vec<String>) {
        for (column, first) in self.places() {
            let (profile, each) = (&self.profiles[column], &self.uses[column]);
            let Use::Observed(encoding) = each else { continue };
            if profile.missing() == 0 && !encoding.has_words() {
                continue;
            }
            let (middle, word) = middle(profile, encoding, self.reading.scale);
            let mut filled = 0;
            for slot in first..first + encoding.width() {
                let slots = observed.iter_mut().skip(slot).step_by(width);
                let gaps = slots.filter(|v| v.is_nan());
                filled = gaps.map(|v| *v = middle).count();
            }
            if filled > 0 {
                remarks.push(format!(
                    "{filled} missing values of `{}` are taken to be {word}",
                    profile.name
                ));
            }
        }
    }
}

/// What a gap becomes, as a model sees it and in a word.
fn middle(profile: &Profile, encoding: &Encoding, scale: Scale) -> (f32, &'static str) {
    match (encoding, scale) {
        (Encoding::OneHot(_), _) => (0.0, "none of its words"),
        (Encoding::Counts { .. }, _) => (0.0, "as common as the words of a row are"),
        (Encoding::Number { .. }, Scale::Robust) => (0.0, "its median"),
        (Encoding::Number { .. }, Scale::Standard) => (0.0, "its mean"),
        _ => (profile.moments.mean() as f32, "its mean"),
    }
}

/// Only these rows.
fn keep(numbers: &mut Vec<f32>, width: usize, rows: &[usize]) {
    for (to, from) in rows.iter().enumerate() {
        numbers.copy_within(from * width..(from + 1) * width, to * width);
    }
    numbers.truncate(rows.len() * width);
}

/// What is said of rows whose factors are not all known.
fn unlabelled<'a>(
    known: impl Iterator<Item = (&'a super::Named<'a>, &'a Vec<Column>)>,
    rows: usize,
) -> Option<String> {
    let factors: Vec<&Column> =
        known.filter(|(list, _)| list.role == Role::Factor).flat_map(|(_, all)| all).collect();
    let unknown = |row: usize| factors.iter().any(|column| column.numbers[row].is_nan());
    let count = (0..rows).filter(|row| unknown(*row)).count();
    (count > 0).then(|| crate::data::about::unlabelled(count, rows))
}

fn changed(sheet: &Sheet) -> Error {
    Error::format(sheet.path(), "changed while it was read; read it again")
}

/// The numbers of one cell; a gap leaves what is there, which is no number.
fn write(
    sheet: &Sheet,
    reading: &Reading,
    profile: &Profile,
    encoding: &Encoding,
    spot: Spot,
    cell: Cell,
    out: &mut [f32],
) -> Result<()> {
    match (encoding, cell) {
        (_, Cell::Missing) | (Encoding::AsItStands, _) => {}
        (_, Cell::Text(text)) if cells::is_missing(text) => {}
        (Encoding::Number { offset, scale }, cell) => {
            if let Some(number) = number(cell, profile.commas, (*offset, *scale) == (0.0, 1.0)) {
                out[0] = ((number - offset) / scale) as f32;
            }
        }
        (Encoding::OneHot(words), Cell::Text(text)) => {
            match words.binary_search_by(|word| word.as_str().cmp(text)) {
                Ok(place) => {
                    out.fill(0.0);
                    out[place] = 1.0;
                }
                Err(_) => unknown_word(sheet, reading, profile, spot, text)?,
            }
        }
        (Encoding::Counts { shares, offset, scale }, Cell::Text(text)) => match shares.get(text) {
            Some(share) => out[0] = ((share - offset) / scale) as f32,
            None => unknown_word(sheet, reading, profile, spot, text)?,
        },
        (Encoding::OneHot(_) | Encoding::Counts { .. }, _) => {}
    }
    Ok(())
}

/// The number of a cell. Without a scale text is read to 32 bits at once, as it always was.
fn number(cell: Cell, commas: bool, plain: bool) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(number),
        Cell::Whole(number) => Some(number as f64),
        Cell::Time(seconds) => Some(seconds),
        Cell::Text(text) if commas => cells::comma_number(text).or_else(|| cells::number(text)),
        Cell::Text(text) if plain => text.parse::<f32>().ok().map(f64::from),
        Cell::Text(text) => cells::number(text),
        Cell::Missing => None,
    }
}

/// A word that was not there when the run began.
fn unknown_word(
    sheet: &Sheet,
    reading: &Reading,
    profile: &Profile,
    spot: Spot,
    text: &str,
) -> Result<()> {
    // It is then taken for a gap.
    if reading.missing == Gaps::Impute {
        return Ok(());
    }
    let reason = format!(
        "{}, column `{}` has `{text}`, a word that the data it was learned from have not; remove such \
         rows, or set `data.missing` to \"impute\"",
        sheet.place(spot.line),
        profile.name
    );
    Err(Error::format(sheet.path(), reason))
}
