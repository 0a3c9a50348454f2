//! The parts of such data, and how large each of them is.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::settings::words;

words! {
    /// A part, named as the file in which CITRIS keeps it.
    pub(crate) enum Part {
        /// The sequence to learn from.
        Train = "train",
        /// A shorter one to watch.
        Val = "val",
        /// A shorter one to test on.
        Test = "test",
        /// Frames whose factors are drawn one by one.
        ValIndep = "val_indep",
        /// The same to test on.
        TestIndep = "test_indep",
        /// Two frames of `val` and a mixture of them.
        ValTriplets = "val_triplets",
        /// Two frames of `test` and a mixture of them.
        TestTriplets = "test_triplets",
    }
}

/// What the rows of a part are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Each row follows the one before.
    Sequence,
    /// Nothing.
    Independent,
    /// Rows in threes, the first two from the sequence of this part.
    Triplets(Part),
}

impl Part {
    /// What its rows are to each other.
    pub(crate) fn form(self) -> Form {
        match self {
            Self::Train | Self::Val | Self::Test => Form::Sequence,
            Self::ValIndep | Self::TestIndep => Form::Independent,
            Self::ValTriplets => Form::Triplets(Self::Val),
            Self::TestTriplets => Form::Triplets(Self::Test),
        }
    }

    /// How many frames, or triplets, beside a training sequence of `frames`.
    pub(crate) fn size(self, frames: usize) -> usize {
        match self {
            Self::Train => frames,
            Self::ValIndep | Self::TestIndep => frames / 4,
            _ => frames / 10,
        }
    }
}

/// The settings that all such data sets have; a data set with more of them flattens this into its own.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Recording {
    /// Which part is opened.
    pub(crate) part: Part,
    /// How long the training sequence is; the other parts follow from it.
    pub(crate) frames: usize,
    /// Every part draws from a generator of its own that is split off this seed, so that it can be
    /// opened without the others.
    pub(crate) seed: u64,
}

impl Default for Recording {
    fn default() -> Self {
        Self { part: Part::Train, frames: 100_000, seed: 42 }
    }
}

impl Recording {
    /// With fewer frames a triplet would have no two different ones to take.
    const FEWEST: usize = 20;
    /// More than this is taken for a slip of the finger: the states alone would be gigabytes.
    const MOST: usize = 1 << 26;

    /// Refuse a length that leaves a part without rows, or the machine without memory.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { frames, .. } = *self;
        if (Self::FEWEST..=Self::MOST).contains(&frames) {
            return Ok(());
        }
        let reason = format!("is {frames}; use from {} to {} frames", Self::FEWEST, Self::MOST);
        Err(Error::setting("data.frames", reason))
    }
}
