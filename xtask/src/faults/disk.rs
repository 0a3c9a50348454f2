//! What a power cut may leave of what a program wrote: a model of a disk that keeps no more than POSIX promises.
//!
//! The rules:
//!
//! - A file keeps what it had at its last `fsync`. Of each write since, nothing, all, or the first bytes may be there;
//!   or the file has its new length with zeros or garbage where its bytes were not written yet.
//! - A directory keeps the names it had at its last `fsync`. Of each change since (create, rename, remove, mkdir),
//!   any subset may be there, as long as changes of one name come in their order: a file that was created under a
//!   name and renamed is not renamed without having been created.
//! - A rename happens or does not, in both of its directories at once; an `fsync` of either makes it stay.
//! - An `fsync` of a file says nothing of its name, and one of a directory nothing of the directory's own name or of
//!   what is in its files. (ext4 promises more.)

use std::collections::{BTreeMap, BTreeSet};

use super::chance::Chance;
use super::contents::{Edit, File};
use super::trace::Record;
use super::tree::Tree;

/// A file or a directory, however it is called.
type Node = usize;
/// A name in a directory.
type Place = (Node, String);

/// The directory below which everything happens.
const ROOT: Node = 0;

/// A change of names.
#[derive(Clone, Debug)]
struct Change {
    /// What was taken away under this name.
    from: Option<Place>,
    /// What was put under this name.
    to: Option<(Place, Node)>,
    synced: bool,
}

/// A disk while a program runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    /// The names at the beginning.
    first: BTreeMap<Place, Node>,
    /// The names as the program sees them.
    now: BTreeMap<Place, Node>,
    changes: Vec<Change>,
    /// A directory has none.
    files: BTreeMap<Node, File>,
    nodes: usize,
}

impl Disk {
    /// Everything in a tree has been there for long.
    pub(super) fn of(tree: &Tree) -> Self {
        let mut disk = Self { nodes: 1, ..Self::default() };
        for (path, bytes) in &tree.0 {
            let node = disk.node();
            if let Some(bytes) = bytes {
                disk.files.insert(node, File::of(bytes));
            }
            if let Some(place) = disk.place(path) {
                disk.now.insert(place, node);
            }
        }
        disk.first = disk.now.clone();
        disk
    }

    fn node(&mut self) -> Node {
        self.nodes += 1;
        self.nodes - 1
    }

    fn find(&self, path: &str) -> Option<Node> {
        match path {
            "." => Some(ROOT),
            path => self.now.get(&self.place(path)?).copied(),
        }
    }

    /// The directory of a path and its last name.
    fn place(&self, path: &str) -> Option<Place> {
        match path.rsplit_once('/') {
            None => Some((ROOT, path.into())),
            Some((directory, name)) => Some((self.find(directory)?, name.into())),
        }
    }

    /// Do what the program did.
    pub(super) fn follow(&mut self, record: &Record) {
        if !record.done {
            return;
        }
        match record.what.as_str() {
            "create" | "mkdir" => self.put(&record.path, record.what == "create"),
            "empty" => self.edit(&record.path, Edit::Length(0)),
            "truncate" => self.edit(&record.path, Edit::Length(record.offset)),
            "write" => self.edit(&record.path, Edit::Write(record.offset, record.bytes.clone())),
            "rename" => {
                let from = self.place(&record.path);
                if let Some(node) = from.as_ref().and_then(|from| self.now.remove(from)) {
                    let to = self.place(&record.second).map(|to| (to, node));
                    self.change(from, to);
                }
            }
            "remove" => {
                let from = self.place(&record.path);
                if from.as_ref().and_then(|from| self.now.remove(from)).is_some() {
                    self.change(from, None);
                }
            }
            "sync" => self.sync(&record.path),
            _ => {}
        }
    }

    fn put(&mut self, path: &str, file: bool) {
        let node = self.node();
        if file {
            self.files.insert(node, File::default());
        }
        let to = self.place(path).map(|to| (to, node));
        self.change(None, to);
    }

    fn change(&mut self, from: Option<Place>, to: Option<(Place, Node)>) {
        self.now.extend(to.clone());
        self.changes.push(Change { from, to, synced: false });
    }

    /// A file that has no name any more is nobody's.
    fn edit(&mut self, path: &str, edit: Edit) {
        let node = self.find(path);
        if let Some(file) = node.and_then(|node| self.files.get_mut(&node)) {
            file.edit(edit);
        }
    }

    fn sync(&mut self, path: &str) {
        let Some(node) = self.find(path) else { return };
        if let Some(file) = self.files.get_mut(&node) {
            file.sync();
            return;
        }
        // Backwards, so that what a change stands on is found with it.
        let mut needed = BTreeSet::new();
        for change in self.changes.iter_mut().rev() {
            let places: Vec<&Place> = change.places().collect();
            if places.iter().any(|place| place.0 == node || needed.contains(*place)) {
                needed.extend(places.into_iter().cloned());
                change.synced = true;
            }
        }
    }

    /// One of the states in which a power cut may leave the disk now.
    pub(super) fn cut(&self, chance: &mut Chance) -> Tree {
        let mut names = self.first.clone();
        let (mut waiting, taste) = (BTreeSet::new(), chance.below(4));
        for change in &self.changes {
            let wanted = match taste {
                0 => false,
                1 => true,
                _ => chance.once_in(2),
            };
            let stands = change.places().all(|place| !waiting.contains(place));
            if change.synced || (wanted && stands) {
                if let Some(from) = &change.from {
                    names.remove(from);
                }
                names.extend(change.to.clone());
            } else {
                waiting.extend(change.places().cloned());
            }
        }
        let mut tree = Tree::default();
        self.list(ROOT, "", &names, chance, &mut tree);
        tree
    }

    fn list(
        &self,
        directory: Node,
        before: &str,
        names: &BTreeMap<Place, Node>,
        chance: &mut Chance,
        tree: &mut Tree,
    ) {
        for ((_, name), node) in
            names.range((directory, String::new())..(directory + 1, String::new()))
        {
            let path = format!("{before}{name}");
            let bytes = self.files.get(node).map(|file| file.cut(chance));
            if bytes.is_none() {
                self.list(*node, &format!("{path}/"), names, chance, tree);
            }
            tree.0.insert(path, bytes);
        }
    }
}

impl Change {
    fn places(&self) -> impl Iterator<Item = &Place> {
        self.from.iter().chain(self.to.iter().map(|(place, _)| place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(what: &str, path: &str, second: &str, bytes: &str) -> Record {
        let (path, second, bytes) = (path.into(), second.into(), bytes.into());
        Record { what: what.into(), done: true, path, second, bytes, ..Record::default() }
    }

    /// Every state after these calls that a thousand cuts find.
    fn states(calls: &[Record]) -> BTreeSet<Vec<(String, Option<String>)>> {
        let mut disk = Disk::of(&Tree([("f".to_string(), Some(b"old".to_vec()))].into()));
        for call in calls {
            disk.follow(call);
        }
        let mut chance = Chance::of(0, "disk", 0);
        let text = |(path, bytes): (String, Option<Vec<u8>>)| {
            (path, bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        (0..1000).map(|_| disk.cut(&mut chance).0.into_iter().map(text).collect()).collect()
    }

    #[test]
    fn written_synced_and_renamed_a_file_is_the_old_or_the_new_one() {
        let draft = [
            record("create", ".f", "", ""),
            record("write", ".f", "", "new"),
            record("sync", ".f", "", ""),
            record("rename", ".f", "f", ""),
        ];
        let found = states(&draft);
        assert_eq!(found.len(), 3, "{found:?}");
        for state in &found {
            let file = state.iter().find(|(path, _)| path == "f").unwrap();
            assert!(matches!(file.1.as_deref(), Some("old" | "new")), "{state:?}");
        }
        // Once the directory is synced there is one state.
        let synced = [&draft[..], &[record("sync", ".", "", "")]].concat();
        assert_eq!(states(&synced).len(), 1);
        // Without the sync of the file it may be renamed and empty.
        let hasty = [&draft[..2], &draft[3..]].concat();
        let empty = vec![("f".to_string(), Some(String::new()))];
        assert!(states(&hasty).contains(&empty));
    }

    #[test]
    fn a_directory_whose_name_was_not_synced_goes_with_all_that_is_in_it() {
        let calls = [
            record("mkdir", "d", "", ""),
            record("create", "d/g", "", ""),
            record("write", "d/g", "", "x"),
            record("sync", "d/g", "", ""),
            record("sync", "d", "", ""),
        ];
        let found = states(&calls);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|state| state.len() == 1));
        assert!(found.iter().any(|state| state.contains(&("d/g".into(), Some("x".into())))));
        // A rename between two directories is there in both or in neither.
        let moved = [&calls[..], &[record("sync", ".", "", ""), record("rename", "f", "d/f", "")]];
        for state in states(&moved.concat()) {
            assert_eq!(state.iter().filter(|(path, _)| path.ends_with('f')).count(), 1);
        }
    }
}
