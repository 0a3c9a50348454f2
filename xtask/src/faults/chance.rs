//! Random numbers of which the seed tells all: a case is found again by its seed, its kind and its number.

/// SplitMix64 (Steele, Lea and Flood 2014): small, and good enough to choose cases.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    /// The numbers of one case.
    pub(super) fn of(seed: u64, kind: &str, number: usize) -> Self {
        let mut chance = Self(seed);
        for word in kind.bytes().map(u64::from).chain([number as u64]) {
            chance.0 = chance.next() ^ word;
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below `end`; 0 if there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        match end {
            0 => 0,
            // The bias of the remainder is far below what a thousand cases could show.
            end => (self.next() % end as u64) as usize,
        }
    }

    /// From 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True once in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A byte.
    pub(super) fn byte(&mut self) -> u8 {
        self.next() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_its_numbers_and_another_has_others() {
        let some = |mut chance: Chance| [(); 4].map(|()| chance.below(1000));
        assert_eq!(some(Chance::of(1, "bits", 7)), some(Chance::of(1, "bits", 7)));
        assert_ne!(some(Chance::of(1, "bits", 7)), some(Chance::of(1, "bits", 8)));
        assert_ne!(some(Chance::of(1, "bits", 7)), some(Chance::of(2, "bits", 7)));
        assert_ne!(some(Chance::of(1, "bits", 7)), some(Chance::of(1, "kills", 7)));
        let mut chance = Chance::of(0, "", 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&chance.share())));
    }
}
