//! What the contents of a published file add up to, in the way its publisher said it.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::PublishedFile;
use crate::error::{Error, Result};

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// A checksum in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// SHA-256.
    Sha256(&'static str),
    /// MD5, where nothing better was published.
    Md5(&'static str),
    /// The name that Git gives to the contents: SHA-1 of "blob LENGTH\0" and the bytes.
    GitBlob(&'static str),
    /// Nobody says.
    Unknown,
}

impl Checksum {
    fn expected(self) -> &'static str {
        match self {
            Self::Sha256(digits) | Self::Md5(digits) | Self::GitBlob(digits) => digits,
            Self::Unknown => "",
        }
    }

    /// The same sum of other contents, `length` bytes long; also how many there were.
    fn of(self, reader: impl Read, length: u64) -> std::io::Result<(String, u64)> {
        match self {
            Self::Sha256(_) => sum(Sha256::new(), reader),
            Self::Md5(_) => sum(Md5::new(), reader),
            Self::GitBlob(_) => {
                sum(Sha1::new_with_prefix(format!("blob {length}\0").as_bytes()), reader)
            }
            Self::Unknown => Ok((String::new(), length)),
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Sha256(_) => "sha256",
            Self::Md5(_) => "md5",
            Self::GitBlob(_) => "git blob",
            Self::Unknown => return out.write_str("no published checksum"),
        };
        write!(out, "{kind} {}", self.expected())
    }
}

fn sum(mut digest: impl Digest, mut reader: impl Read) -> std::io::Result<(String, u64)> {
    let (mut chunk, mut length) = (vec![0; CHUNK], 0);
    loop {
        match reader.read(&mut chunk)? {
            0 => break,
            count => {
                digest.update(&chunk[..count]);
                length += count as u64;
            }
        }
    }
    let digits = |digits: String, byte: &u8| digits + &format!("{byte:02x}");
    Ok((digest.finalize().iter().fold(String::new(), digits), length))
}

/// Refuse a file that is not the published one. If `packed`, it is the published one after gzip,
/// which does not always give the same bytes: what counts is what it unpacks to.
pub(super) fn check(path: &Path, published: &PublishedFile, packed: bool) -> Result<()> {
    let unreadable = |source: std::io::Error| Error::io("read", path, &source);
    let refuse = |reason: String| {
        let way_out = "download it again, or import it as it is with --unchecked";
        Err(Error::format(path, format!("{reason}; {way_out}")))
    };
    let wrong_length = |length: u64| {
        let unpacked = if packed { " when unpacked" } else { "" };
        let expected = published.bytes;
        refuse(format!("has {length} bytes{unpacked} and the published file has {expected}"))
    };
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    if !packed && published.bytes != 0 && length != published.bytes {
        return wrong_length(length);
    }
    let sum = if packed {
        // One byte more than there should be tells that there are too many.
        let most = if published.bytes == 0 { u64::MAX } else { published.bytes + 1 };
        published.checksum.of(MultiGzDecoder::new(file).take(most), published.bytes)
    } else {
        published.checksum.of(file, length)
    };
    let (found, length) = match sum {
        Ok(sum) => sum,
        Err(source) if packed => return refuse(format!("cannot be unpacked ({source})")),
        Err(source) => return Err(unreadable(source)),
    };
    if packed && published.bytes != 0 && length != published.bytes {
        return wrong_length(length);
    }
    if found != published.checksum.expected() {
        return refuse(format!(
            "is not the published file: its checksum is {found}, the published one {}",
            published.checksum
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_the_known_ones() {
        let of =
            |checksum: Checksum, bytes: &[u8]| checksum.of(bytes, bytes.len() as u64).unwrap().0;
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(Checksum::Sha256(""), b""), empty);
        assert_eq!(of(Checksum::Md5(""), b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        // printf 'hello\n' | git hash-object --stdin
        let hello = of(Checksum::GitBlob(""), b"hello\n");
        assert_eq!(hello, "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
