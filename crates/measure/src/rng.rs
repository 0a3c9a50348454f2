//! Randomness as an argument: one seed, split by purpose and by step, never global.
//!
//! A generator is a 256-bit key. `split("noise")` and `at(step)` hash the key with a word or a
//! number into a new key, so that what is drawn for one purpose never shifts another, and the draws
//! of step 900 can be made without those of the 899 before it: that is what makes a resumed run
//! equal to one that never stopped. ChaCha8 is used because its values never change between
//! releases; `values_are_pinned` fails if they ever do.

use std::convert::Infallible;

use rand::{RngExt, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use sha2::{Digest, Sha256};

/// A seeded generator that splits by name.
#[derive(Clone, Debug)]
pub struct Rng {
    key: [u8; 32],
    stream: ChaCha8Rng,
}

impl Rng {
    /// The root generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::from_key(hash(b"unbraid", b's', &seed.to_le_bytes()))
    }

    /// An independent generator for one purpose, unaffected by what was drawn here so far.
    pub fn split(&self, purpose: &str) -> Self {
        Self::from_key(hash(&self.key, b'n', purpose.as_bytes()))
    }

    /// An independent generator for one step, row or repetition.
    pub fn at(&self, index: u64) -> Self {
        Self::from_key(hash(&self.key, b'i', &index.to_le_bytes()))
    }

    /// A number in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        self.stream.random()
    }

    /// A whole number in `0..bound`; `bound` must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        // u64 on every machine: usize would give other values on 32 bits.
        self.stream.random_range(0..bound as u64) as usize
    }

    /// A draw from the standard normal distribution.
    pub fn normal(&mut self) -> f32 {
        self.stream.sample(StandardNormal)
    }

    /// Fill a slice with standard normal draws.
    pub fn fill_normal(&mut self, out: &mut [f32]) {
        for value in out {
            *value = self.normal();
        }
    }

    /// Fill a slice with numbers in `[0, 1)`, multiples of 2⁻²⁴.
    pub fn fill_uniform(&mut self, out: &mut [f32]) {
        for value in out {
            *value = self.stream.random();
        }
    }

    /// A uniformly random order of `0..count` (Fisher-Yates).
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }

    /// `count` different numbers below `bound`, in random order; `count` must not exceed `bound`.
    pub fn distinct(&mut self, count: usize, bound: usize) -> Vec<usize> {
        if count * 4 > bound {
            let mut all = self.permutation(bound);
            all.truncate(count);
            return all;
        }
        let mut seen = std::collections::HashSet::with_capacity(count);
        std::iter::repeat_with(|| self.below(bound))
            .filter(|i| seen.insert(*i))
            .take(count)
            .collect()
    }

    fn from_key(key: [u8; 32]) -> Self {
        Self { key, stream: ChaCha8Rng::from_seed(key) }
    }
}

/// So that the distributions of `rand_distr` can draw from it.
impl TryRng for Rng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.stream.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.stream.try_next_u64()
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.stream.try_fill_bytes(out)
    }
}

/// `kind` keeps a name apart from a number that happens to have the same bytes.
fn hash(key: &[u8], kind: u8, word: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key).chain_update([kind]).chain_update(word).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_pinned() {
        let mut rng = Rng::new(0).split("noise").at(3);
        assert_eq!(rng.below(1_000_000), 417_668);
        assert_eq!(rng.normal().to_bits(), 3_217_404_260);
        assert_eq!(rng.uniform().to_bits(), 4_605_697_150_255_774_276);
        let mut numbers = [0.0; 2];
        rng.fill_uniform(&mut numbers);
        assert_eq!(numbers.map(f32::to_bits), [1_065_256_496, 1_061_249_883]);
    }

    #[test]
    fn a_split_does_not_depend_on_what_was_drawn_before() {
        let fresh = Rng::new(7);
        let mut used = fresh.clone();
        used.uniform();
        assert_eq!(fresh.split("a").uniform(), used.split("a").uniform());
        assert_ne!(fresh.split("a").uniform(), fresh.split("b").uniform());
        assert_ne!(fresh.at(0).uniform(), fresh.at(1).uniform());
        assert_ne!(fresh.split("a").uniform(), Rng::new(8).split("a").uniform());
    }

    #[test]
    fn distinct_numbers_are_distinct_and_a_permutation_is_complete() {
        let mut rng = Rng::new(1);
        for (count, bound) in [(5, 1000), (900, 1000), (10, 10)] {
            let mut drawn = rng.distinct(count, bound);
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), count);
            assert!(drawn.iter().all(|i| *i < bound));
        }
    }
}
