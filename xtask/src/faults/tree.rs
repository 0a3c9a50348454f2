//! A directory held in memory: to put it back before each case, and to compare what a case has left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;

/// The files of a directory by their path, with slashes; a directory has no bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree(pub(super) BTreeMap<String, Option<Vec<u8>>>);

impl Tree {
    /// What is in a directory.
    pub(super) fn read(directory: &Path) -> Result<Self> {
        let mut tree = Self::default();
        tree.add(directory, "")?;
        Ok(tree)
    }

    fn add(&mut self, directory: &Path, before: &str) -> Result<()> {
        let failed = |source| format!("cannot read {}: {source}", directory.display());
        for entry in fs::read_dir(directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{before}{name}");
            if path.is_dir() {
                self.add(&path, &format!("{name}/"))?;
                self.0.insert(name, None);
            } else {
                self.0.insert(name, Some(fs::read(&path).map_err(failed)?));
            }
        }
        Ok(())
    }

    /// Make a directory hold this and nothing else.
    pub(super) fn write(&self, directory: &Path) -> Result<()> {
        let failed = |source| format!("cannot write {}: {source}", directory.display());
        if directory.exists() {
            fs::remove_dir_all(directory).map_err(failed)?;
        }
        fs::create_dir_all(directory).map_err(failed)?;
        // A directory comes before what is in it, since its path is the beginning of theirs.
        for (path, bytes) in &self.0 {
            let path = directory.join(path);
            match bytes {
                None => fs::create_dir_all(path).map_err(failed)?,
                Some(bytes) => fs::write(path, bytes).map_err(failed)?,
            }
        }
        Ok(())
    }

    /// The files, without directories.
    pub(super) fn files(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.0.iter().filter_map(|(path, bytes)| Some((path, bytes.as_ref()?)))
    }
}
