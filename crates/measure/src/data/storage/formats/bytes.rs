//! The bytes of a file, plain or packed with gzip, read in order.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};

/// What every gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// An open file. Its errors name it.
pub(in crate::data) struct Bytes {
    path: PathBuf,
    reader: Box<dyn BufRead>,
}

impl Bytes {
    /// Open a file. Whether it is packed is seen by how it begins, not by its name.
    pub(in crate::data) fn open(path: &Path) -> Result<Self> {
        let unreadable = |source: std::io::Error| Error::io("read", path, &source);
        let mut file = File::open(path).map_err(unreadable)?;
        let mut start = [0; 2];
        let packed = match file.read_exact(&mut start) {
            Ok(()) => start == GZIP,
            Err(source) if source.kind() == ErrorKind::UnexpectedEof => false,
            Err(source) => return Err(unreadable(source)),
        };
        file.rewind().map_err(unreadable)?;
        let file = BufReader::with_capacity(1 << 16, file);
        let reader: Box<dyn BufRead> = match packed {
            true => Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))),
            false => Box::new(file),
        };
        Ok(Self { path: path.to_path_buf(), reader })
    }

    /// Fill `out`.
    pub(in crate::data) fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        self.reader
            .read_exact(out)
            .map_err(|source| self.refuse(format!("ends early ({source}); is it truncated?")))
    }

    /// The next four bytes.
    pub(in crate::data) fn four(&mut self) -> Result<[u8; 4]> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Put the next line into `line`, without its end. False if there is none.
    pub(in crate::data) fn line(&mut self, line: &mut Vec<u8>, longest: u64) -> Result<bool> {
        line.clear();
        match self.reader.by_ref().take(longest).read_until(b'\n', line) {
            Err(source) => Err(self.refuse(format!("cannot be read ({source})"))),
            Ok(count) if count as u64 == longest => {
                Err(self.refuse("has a line that does not end; is this the right file?"))
            }
            Ok(count) => {
                line.truncate(line.trim_ascii_end().len());
                Ok(count > 0)
            }
        }
    }

    /// Refuse a file that goes on.
    pub(in crate::data) fn end(&mut self) -> Result<()> {
        match self.reader.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.refuse("goes on after what its header promises; is it damaged?")),
            Err(source) => Err(self.refuse(format!("cannot be unpacked ({source})"))),
        }
    }

    /// The error that this file is not what it should be.
    pub(in crate::data) fn refuse(&self, reason: impl std::fmt::Display) -> Error {
        Error::format(&self.path, reason)
    }
}
