//! Files that are either whole or not there: written under a temporary name, synced, renamed.

pub mod checksum;
pub mod lock;
pub mod memory;

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file being written. It takes its name on [`finish`](Self::finish); dropped before, it vanishes.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Draft {
    /// Start writing what will become `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Beside the target, so that the rename stays on one file system.
        let temporary = path.with_file_name(format!(".{name}.tmp-{}", std::process::id()));
        let file = File::create(&temporary).map_err(|source| Error::io("write", &path, &source))?;
        Ok(Self { path, temporary, file: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Give the file its name. Only now can a reader see it.
    pub fn finish(mut self) -> Result<()> {
        self.commit().map_err(|source| Error::io("write", &self.path, &source))
    }

    fn commit(&mut self) -> std::io::Result<()> {
        let writer = self.file.take().expect("a draft is finished once");
        let file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        // Without the sync a power cut could leave a renamed but empty file.
        file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        sync_names(&self.path)
    }

    fn inner(&mut self) -> &mut BufWriter<File> {
        self.file.as_mut().expect("a draft is open until it is finished")
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.inner().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.inner().flush()
    }
}

impl Seek for Draft {
    fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
        self.inner().seek(position)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After `finish` the temporary name is gone and this does nothing.
        if let Some(writer) = self.file.take() {
            // Taking the writer apart drops its buffer instead of writing it to a file we delete.
            let _ = writer.into_parts();
        }
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Whether a path has the name of an unfinished draft, left by a process that was killed.
pub fn is_draft(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.contains(".tmp-")
}

/// Write a whole file at once, atomically.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    let mut draft = Draft::create(path)?;
    draft.write_all(bytes).map_err(|source| Error::io("write", path, &source))?;
    draft.finish()
}

/// Read a whole text file.
pub fn read_text(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    fs::read_to_string(path).map_err(|source| Error::io("read", path, &source))
}

/// Open a file for reading; refuses what is none, such as a device or a pipe, which may never end.
pub fn open(path: impl AsRef<Path>) -> Result<File> {
    let path = path.as_ref();
    let failed = |source| Error::io("read", path, &source);
    let about = fs::metadata(path).map_err(failed)?;
    match about.is_file() || about.is_dir() {
        true => File::open(path).map_err(failed),
        false => Err(Error::format(path, "is a device or a pipe; save what it gives as a file")),
    }
}

/// Create a directory and its parents.
pub fn create_directory(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let failed = |source| Error::io("create", path, &source);
    let new: Vec<&Path> = path
        .ancestors()
        .take_while(|place| !place.as_os_str().is_empty() && !place.exists())
        .collect();
    fs::create_dir_all(path).map_err(failed)?;
    new.into_iter().try_for_each(sync_names).map_err(failed)
}

/// Give a file or directory another name, for good: a power cut does not take it back.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    let renamed = fs::rename(from, to).and_then(|()| {
        sync_names(to)?;
        match from.parent() == to.parent() {
            true => Ok(()),
            false => sync_names(from),
        }
    });
    renamed.map_err(|source| Error::io("move", from, &source))
}

/// Bring the names in the directory of a file to the disk. Where directories cannot be opened there is nothing more to do.
fn sync_names(path: &Path) -> std::io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(directory) = File::open(directory.unwrap_or(Path::new("."))) else { return Ok(()) };
    match directory.sync_all() {
        // File systems without it say so; any other error means that a name may be lost.
        Err(source)
            if matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_draft_leaves_the_old_file_and_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scores.json");
        write(&path, b"old").unwrap();
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"half of the new").unwrap();
        drop(draft);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_so() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let source = (&full).write_all(b"x").unwrap_err();
        let error = Error::io("write", "runs/a/model.safetensors", &source).to_string();
        assert!(error.contains("the disk is full"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let endless = directory.path().join("endless.csv");
        std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
        assert!(open(&endless).unwrap_err().to_string().contains("is a device or a pipe"));
        assert!(open(directory.path().join("none")).is_err());
    }
}
