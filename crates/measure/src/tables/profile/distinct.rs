//! How many different values there are, in little memory: Gibbons, Distinct Sampling for
//! Highly-Accurate Answers to Distinct Values Queries, VLDB 2001. A value is kept if the hash of it ends
//! in `level` zeros; when too many are kept the level rises and half of them go. What is kept is then a
//! sample of the values, not of the rows: of each kept value every row is seen.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// How many values are kept at most.
const KEPT: usize = 4096;

/// Some of the values, with how often each was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    kept: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    level: u32,
}

impl Distinct {
    /// See a value by its hash.
    pub(super) fn see(&mut self, hash: u64) {
        if hash.trailing_zeros() < self.level {
            return;
        }
        *self.kept.entry(hash).or_default() += 1;
        while self.kept.len() > KEPT {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|hash, _| hash.trailing_zeros() >= level);
        }
    }

    /// How many values there are, exactly while they are few.
    pub(super) fn count(&self) -> usize {
        self.kept.len() << self.level
    }

    /// How many rows of the kept values have a value that was there before.
    pub(super) fn repeats_per_value(&self) -> u64 {
        self.kept.values().map(|count| u64::from(count - 1)).sum()
    }

    /// The share of the values that is kept.
    pub(super) fn share_kept(&self) -> f64 {
        0.5_f64.powi(self.level as i32)
    }
}

/// The hash of a number; 0 and −0 are the same.
pub(super) fn of_number(number: f64) -> u64 {
    mixed((number + 0.0).to_bits())
}

/// The hash of a word: FNV-1a, mixed.
pub(super) fn of_text(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mixed(text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The finaliser of SplitMix64: every bit depends on every other.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Keys are hashes already. Their last bits are zeros, so the table is told the first ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash.rotate_left(32);
    }
}
