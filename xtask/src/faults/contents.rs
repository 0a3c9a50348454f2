//! The bytes of a file: those that are on the disk for good, and those that may be.

use super::chance::Chance;

/// A change of a file since its last `fsync`.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// These bytes from there on.
    Write(usize, Vec<u8>),
    /// A new length.
    Length(usize),
}

/// The bytes of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    synced: Vec<u8>,
    since: Vec<Edit>,
}

impl File {
    /// One that has been there for long.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { synced: bytes.to_vec(), since: vec![] }
    }

    pub(super) fn edit(&mut self, edit: Edit) {
        self.since.push(edit);
    }

    pub(super) fn sync(&mut self) {
        self.synced = self.with(self.since.len());
        self.since.clear();
    }

    /// The bytes after the first so many changes.
    fn with(&self, changes: usize) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        self.since[..changes].iter().for_each(|edit| edit.apply(&mut bytes));
        bytes
    }

    /// What a power cut may leave.
    pub(super) fn cut(&self, chance: &mut Chance) -> Vec<u8> {
        let all = self.since.len();
        if all == 0 {
            return self.synced.clone();
        }
        match chance.below(5) {
            0 => self.synced.clone(),
            1 => self.with(all),
            2 => {
                let whole = chance.below(all);
                let mut bytes = self.with(whole);
                self.since[whole].torn(chance).apply(&mut bytes);
                bytes
            }
            // The length is there before the bytes.
            kind => {
                let mut bytes = self.synced.clone();
                for edit in &self.since {
                    match edit {
                        Edit::Write(at, written) if chance.once_in(2) => {
                            let other = |_: &u8| if kind == 3 { 0 } else { chance.byte() };
                            let other = written.iter().map(other).collect();
                            Edit::Write(*at, other).apply(&mut bytes);
                        }
                        edit => edit.apply(&mut bytes),
                    }
                }
                bytes
            }
        }
    }
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Length(length) => bytes.resize(*length, 0),
            Self::Write(at, written) => {
                let end = at + written.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at..end].copy_from_slice(written);
            }
        }
    }

    /// Only the first bytes of it.
    fn torn(&self, chance: &mut Chance) -> Self {
        match self {
            Self::Length(length) => Self::Length(*length),
            Self::Write(at, written) => {
                Self::Write(*at, written[..chance.below(written.len() + 1)].to_vec())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_was_synced_stays_and_of_the_rest_any_part_may() {
        let mut file = File::of(b"");
        file.edit(Edit::Write(0, b"ab".to_vec()));
        file.sync();
        file.edit(Edit::Write(2, b"cd".to_vec()));
        let mut chance = Chance::of(0, "contents", 0);
        let found: BTreeSet<Vec<u8>> = (0..1000).map(|_| file.cut(&mut chance)).collect();
        for state in [&b"ab"[..], b"abc", b"abcd", b"ab\0\0"] {
            assert!(found.contains(state), "{state:?}");
        }
        assert!(found.iter().all(|state| state.starts_with(b"ab") && state.len() <= 4));
        // Garbage of the right length too.
        assert!(found.len() > 100);
        file.edit(Edit::Length(1));
        file.sync();
        assert_eq!(file.cut(&mut chance), b"a");
    }
}
