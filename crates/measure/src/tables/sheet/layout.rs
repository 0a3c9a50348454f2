//! How a text file is cut into cells: its separator and its line of names, found by its first lines.

use std::io::Read;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use super::{Separator, cells};
use crate::error::{Error, Result};
use crate::files;

/// How much of a file is looked at, in bytes.
const SEEN: u64 = 1 << 16;
/// How many of its lines.
const LINES: usize = 100;

/// What the first lines say of a file.
pub(super) struct Layout {
    pub(super) separator: u8,
    /// Whether the first line has the names.
    pub(super) named: bool,
    /// Whether lines end as on Windows, of which the reader counts the second half to the next line.
    pub(super) carriage_returns: bool,
    /// The names, or as many empty ones.
    pub(super) names: Vec<String>,
}

impl Layout {
    pub(super) fn of(path: &Path, separator: Separator) -> Result<Self> {
        let file = files::open(path)?;
        let mut beginning = Vec::new();
        let count = file.take(SEEN).read_to_end(&mut beginning);
        let cut = count.map_err(|source| Error::io("read", path, &source))? as u64 == SEEN;
        let separator = match separator {
            Separator::Comma => b',',
            Separator::Semicolon => b';',
            Separator::Tab => b'\t',
            Separator::Bar => b'|',
            Separator::Auto => likeliest(&beginning, cut),
        };
        let lines = records(&beginning, separator, cut);
        let Some(first) = lines.first() else {
            return Err(Error::format(path, "holds no rows"));
        };
        let texts: Vec<String> = first.iter().map(text).collect();
        let is_value =
            |text: &String| text.parse::<f64>().is_ok() || cells::comma_number(text).is_some();
        let named = (lines.len() > 1 || cut) && !texts.iter().any(is_value);
        let names = if named { texts } else { vec![String::new(); texts.len()] };
        let carriage_returns = beginning.windows(2).any(|pair| pair == b"\r\n");
        Ok(Self { separator, named, carriage_returns, names })
    }
}

/// Without the blanks around it; bytes that are no UTF-8 are refused where rows are read.
fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim().to_string()
}

/// The first lines, cut in this way; the last of a file that is not seen whole may be half a line.
fn records(beginning: &[u8], separator: u8, cut: bool) -> Vec<ByteRecord> {
    let mut reader = ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(separator);
    let read = reader.from_reader(beginning).into_byte_records();
    let mut records: Vec<ByteRecord> =
        read.take(LINES + 1).map_while(std::result::Result::ok).collect();
    if records.len() > LINES || (cut && records.len() > 1) {
        records.pop();
    }
    records
}

/// The separator that cuts most lines into as many cells as the first, two at least; of several the one
/// that makes more cells numbers: of 1,5;2,5 the semicolon.
fn likeliest(beginning: &[u8], cut: bool) -> u8 {
    let fit = |separator: u8| {
        let lines = records(beginning, separator, cut);
        let width = lines.first().map_or(0, ByteRecord::len);
        let alike = lines.iter().filter(|line| line.len() == width).count();
        let share = alike as f64 / lines.len().max(1) as f64;
        let all = || lines.iter().flat_map(|line| line.iter()).map(text);
        let number = |cell: &String| {
            let comma = separator != b',' && cells::comma_number(cell).is_some();
            cells::number(cell).is_some() || comma || cells::is_time(cell)
        };
        let numbers = all().filter(number).count() as f64 / all().count().max(1) as f64;
        (width > 1, share, numbers)
    };
    // Of one column: the one that does not cut it.
    let whole = |separator: &u8| records(beginning, *separator, cut).iter().all(|l| l.len() < 2);
    let mut best = (b',', fit(b','));
    for separator in [b';', b'\t', b'|'] {
        let found = fit(separator);
        let better = match (found.0, best.1.0) {
            (true, false) => true,
            (true, true) => (found.1, found.2) > (best.1.1, best.1.2),
            (false, _) => false,
        };
        if better {
            best = (separator, found);
        }
    }
    match best.1.0 {
        true => best.0,
        false => [b',', b';', b'\t', b'|'].into_iter().find(whole).unwrap_or(best.0),
    }
}
