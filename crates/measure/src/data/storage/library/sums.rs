//! Whether an imported data set is as it was written. `about.toml` knows the length and the CRC-32C of every other file of
//! it, and has a checksum of its own.
//!
//! Small files are checked whenever a part is opened, images up to a quarter of a gigabyte too (a tenth of a second); all of
//! them by `unbraid check`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use toml::{Table, Value};

use super::ABOUT;
use crate::error::{Error, Result};
use crate::files::checksum::{self, Seal};
use crate::files::read_text;
use crate::watch::Stage;

/// Larger files are not read as a whole when a part is opened.
const LARGEST: u64 = 1 << 28;
/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// The length and the CRC-32C of each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums(BTreeMap<String, (u64, u32)>);

impl Sums {
    /// Those of the files in a directory.
    pub(super) fn of(directory: &Path) -> Result<Self> {
        let mut sums = BTreeMap::new();
        let unreadable = |source: std::io::Error| Error::io("read", directory, &source);
        for entry in fs::read_dir(directory).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() && name != ABOUT {
                sums.insert(name, sum(&entry.path(), None)?);
            }
        }
        Ok(Self(sums))
    }

    /// As they stand in `about.toml`.
    pub(super) fn to_table(&self) -> Table {
        let line = |(bytes, crc): &(u64, u32)| {
            let mut line = Table::new();
            line.insert("bytes".into(), Value::Integer(*bytes as i64));
            line.insert("crc32c".into(), format!("{crc:08x}").into());
            Value::Table(line)
        };
        self.0.iter().map(|(name, sum)| (name.clone(), line(sum))).collect()
    }

    /// Those of an imported data set; nothing if an earlier version imported it.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(ABOUT);
        let text = read_text(&path)?;
        if checksum::check(text.as_bytes(), 0..text.len()) == Seal::Broken {
            return Err(damaged(&path, "its checksum differs from what is in it"));
        }
        let about: Table = text.parse().map_err(|source| damaged(&path, &format!("{source}")))?;
        let Some(sums) = about.get("sums").and_then(Value::as_table) else { return Ok(None) };
        let line = |(name, line): (&String, &Value)| {
            let bytes = u64::try_from(line.get("bytes")?.as_integer()?).ok()?;
            let crc = u32::from_str_radix(line.get("crc32c")?.as_str()?, 16).ok()?;
            Some((name.clone(), (bytes, crc)))
        };
        let read: Option<BTreeMap<_, _>> = sums.iter().map(line).collect();
        read.map(|read| Some(Self(read))).ok_or_else(|| damaged(&path, "its sums are no numbers"))
    }

    /// Refuse a file that has changed; one that is too large to look at now passes if it has its length.
    pub(super) fn check(&self, directory: &Path, name: &str) -> Result<()> {
        match self.0.get(name) {
            Some((bytes, _)) if *bytes > LARGEST => Ok(()),
            _ => self.check_whole(directory, name, None),
        }
    }

    /// Refuse any file that has changed.
    pub(super) fn check_all(&self, directory: &Path, watch: &Stage) -> Result<()> {
        self.0.keys().try_for_each(|name| self.check_whole(directory, name, Some(watch)))
    }

    fn check_whole(&self, directory: &Path, name: &str, watch: Option<&Stage>) -> Result<()> {
        let Some(expected) = self.0.get(name) else { return Ok(()) };
        let path = directory.join(name);
        match sum(&path, watch)? == *expected {
            true => Ok(()),
            false => Err(damaged(&path, "its checksum differs from that of the import")),
        }
    }
}

fn sum(path: &Path, watch: Option<&Stage>) -> Result<(u64, u32)> {
    let unreadable = |source: std::io::Error| Error::io("read", path, &source);
    let mut file = File::open(path).map_err(unreadable)?;
    let whole = file.metadata().map_err(unreadable)?.len().max(1);
    let mut buffer = vec![0; BUFFER];
    let (mut bytes, mut crc) = (0, 0);
    loop {
        let count = file.read(&mut buffer).map_err(unreadable)?;
        if count == 0 {
            return Ok((bytes, crc));
        }
        crc = crc32c::crc32c_append(crc, &buffer[..count]);
        bytes += count as u64;
        if let Some(watch) = watch {
            watch.advance(bytes as f64 / whole as f64)?;
        }
    }
}

fn damaged(path: &Path, how: &str) -> Error {
    Error::format(path, format!("is damaged: {how}; import the data set again"))
}
