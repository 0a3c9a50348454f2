//! Checksums inside of files: who reads one back knows that no bit of it has changed.
//!
//! A file is written with the word "checksum" and 64 zeros behind it, where its format has room for them: a key of JSON, a
//! comment of TOML, the metadata of safetensors. Then the zeros become the SHA-256 of all bytes of the file, the zeros among
//! them. Other programs read such a file as before. A file without a checksum is one of an earlier version.

use std::ops::Range;

use sha2::{Digest, Sha256};

/// Before the digits; what stands between differs from format to format.
const WORD: &[u8] = b"checksum";
/// What will be the digits.
pub const ROOM: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The characters between the word and its digits: `": "` in JSON, `\":\"` in JSON in JSON.
const BETWEEN: usize = 8;

/// What a checksum says of the file it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Every bit is as it was written.
    Whole,
    /// Some are not.
    Broken,
    /// There is none.
    Absent,
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn of(bytes: &[u8]) -> String {
    words(Sha256::digest(bytes).as_slice())
}

/// Bytes that come one after the other, such as those of a log.
#[derive(Clone, Debug, Default)]
pub struct Running {
    sum: Sha256,
    /// How many there were.
    pub bytes: u64,
}

impl Running {
    /// Some more.
    pub fn add(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// The sum of all until now.
    pub fn sum(&self) -> String {
        words(self.sum.clone().finalize().as_slice())
    }
}

/// Write the checksum into the room that was left for it.
pub fn seal(bytes: &mut [u8]) {
    let whole = 0..bytes.len();
    let place = place(bytes, whole).expect("room was left for the checksum");
    let digits = sum_around(bytes, &place);
    bytes[place].copy_from_slice(digits.as_bytes());
}

/// Look whether bytes are as they were sealed; the checksum stands in this part of them, and is the last there.
pub fn check(bytes: &[u8], within: Range<usize>) -> Seal {
    match place(bytes, within) {
        None => Seal::Absent,
        Some(place) if sum_around(bytes, &place).as_bytes() == &bytes[place.clone()] => Seal::Whole,
        Some(_) => Seal::Broken,
    }
}

/// The last 64 digits behind the word.
fn place(bytes: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let (start, part) = (within.start, bytes.get(within)?);
    let words = part.windows(WORD.len()).enumerate().rev().filter(|(_, word)| *word == WORD);
    words.map(|(at, _)| at + WORD.len()).find_map(|behind| {
        let near = part.get(behind..)?;
        let gap = near.iter().take(BETWEEN).position(u8::is_ascii_hexdigit)?;
        let digits = near.get(gap..gap + ROOM.len())?;
        let first = start + behind + gap;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(first..first + ROOM.len())
    })
}

fn sum_around(bytes: &[u8], place: &Range<usize>) -> String {
    let mut sum = Sha256::new();
    sum.update(&bytes[..place.start]);
    sum.update(ROOM);
    sum.update(&bytes[place.end..]);
    words(sum.finalize().as_slice())
}

fn words(digest: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).expect("half a byte");
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(text: &str) -> Vec<u8> {
        let mut bytes = text.replace("ROOM", ROOM).into_bytes();
        seal(&mut bytes);
        bytes
    }

    /// In each of the three formats; a flipped bit is found, wherever it is, or there is no checksum any more and the rest
    /// is as it was.
    #[test]
    fn every_flipped_bit_is_found() {
        let texts = [
            "{\n  \"a\": 1,\n  \"checksum\": \"ROOM\"\n}\n",
            "format = 2\n# checksum: ROOM\n",
            "header {\"unbraid\":\"{\\\"step\\\":3,\\\"checksum\\\":\\\"ROOM\\\"}\"} numbers",
        ];
        for text in texts {
            let whole = sealed(text);
            assert_eq!(check(&whole, 0..whole.len()), Seal::Whole);
            for bit in 0..whole.len() * 8 {
                let mut flipped = whole.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let found = check(&flipped, 0..flipped.len());
                let digits = place(&whole, 0..whole.len()).unwrap();
                let near = (digits.start - BETWEEN - WORD.len()..digits.end).contains(&(bit / 8));
                assert!(
                    found == Seal::Broken || found == Seal::Absent && near,
                    "bit {bit}: {text}"
                );
            }
        }
    }

    #[test]
    fn the_last_checksum_counts_and_a_word_without_digits_is_none() {
        let text = format!("checksum: {ROOM} and checksum: ROOM");
        let whole = sealed(&text);
        assert_eq!(check(&whole, 0..whole.len()), Seal::Whole);
        assert_eq!(check(b"a checksum: 12", 0..14), Seal::Absent);
        assert_eq!(check(b"", 0..0), Seal::Absent);
        assert_eq!(check(b"checksum", 0..99), Seal::Absent);
    }

    #[test]
    fn a_running_sum_is_that_of_the_whole() {
        let mut running = Running::default();
        running.add(b"one\n");
        running.add(b"two\n");
        assert_eq!((running.bytes, running.sum()), (8, of(b"one\ntwo\n")));
    }
}
