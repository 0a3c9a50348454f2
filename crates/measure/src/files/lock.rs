//! One writer at a time in a directory.
//!
//! The lock is one of the operating system (`flock`; on NFS that of the server) on a file `.lock` in the directory, so it
//! goes with the process that holds it, however that ends: there is nothing to break. The file says who holds it, for those
//! who come too late.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The file of the lock.
pub const FILE: &str = ".lock";

/// A directory that this process alone writes to, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: Option<File>,
}

impl Lock {
    /// Take a directory to do something in it, in words: "training". Refused while somebody else has it. On a file system
    /// without locks, everybody has it.
    pub fn take(directory: &Path, doing: &str) -> Result<Self> {
        Self::at(directory.join(FILE), directory, doing)
    }

    /// The same by a file elsewhere, for a directory that is not there yet.
    pub fn beside(directory: &Path, doing: &str) -> Result<Self> {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        Self::at(directory.with_file_name(format!(".{name}{FILE}")), directory, doing)
    }

    fn at(path: PathBuf, directory: &Path, doing: &str) -> Result<Self> {
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(|source| Error::io("write", &path, &source))?;
            match file.try_lock() {
                // Whoever had it removed the file between our opening it and locking it: ours has no name.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => return Ok(Self::held(path, file, doing)),
                Err(TryLockError::WouldBlock) => return Err(taken(directory, file)),
                Err(TryLockError::Error(source)) if source.kind() == ErrorKind::Unsupported => {
                    return Ok(Self { path, file: None });
                }
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", &path, &source)),
            }
        }
    }

    fn held(path: PathBuf, mut file: File, doing: &str) -> Self {
        let holder = format!("process {} on {}, {doing}", std::process::id(), host());
        // Only for the words of others: a lock whose holder could not be written holds.
        let _ = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
        Self { path, file: Some(file) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is held, so that nobody removes that of another.
        if self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file that is open is the one that has this name now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |open: fs::Metadata, named: fs::Metadata| {
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    };
    file.metadata().is_ok_and(|open| fs::metadata(path).is_ok_and(|named| same(open, named)))
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

fn taken(directory: &Path, mut file: File) -> Error {
    let mut holder = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder).map(drop));
    let holder = if holder.is_empty() { "another process" } else { &holder };
    let reason = format!(
        "is being written to by {holder}; wait until it ends, stop it, or choose another directory"
    );
    Error::Format { path: directory.into(), reason }
}

/// The name of this machine; empty if it has none.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "this machine".into(),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_second_is_told_who_was_first_and_comes_after_it() {
        let place = tempfile::tempdir().unwrap();
        let first = Lock::take(place.path(), "training").unwrap();
        let said = Lock::take(place.path(), "scoring").unwrap_err().to_string();
        let process = format!("process {} on ", std::process::id());
        assert!(said.contains(&process) && said.contains(", training;"), "{said}");
        drop(first);
        drop(Lock::take(place.path(), "scoring").unwrap());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn never_do_two_have_it() {
        let place = tempfile::tempdir().unwrap();
        let (inside, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let Ok(lock) = Lock::take(place.path(), "a test") else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
    }
}
