//! An import under way: the files it takes, and the directory that takes its name at the end.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::part::PartWriter;
use super::sums::Sums;
use super::{ABOUT, FORMAT, Publication, checksum as published, clear};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::files::lock::Lock;
use crate::files::{self, checksum};
use crate::npz::NpzWriter;
use crate::watch::Stage;

/// An import under way: where files come from, and the directory that is being filled.
pub struct Import<'a> {
    publication: &'a Publication,
    from: &'a Path,
    /// Under a temporary name until it is whole; gone if it never is.
    staged: PathBuf,
    target: PathBuf,
    unchecked: bool,
    watch: &'a Stage<'a>,
    taken: Vec<String>,
    _lock: Lock,
}

impl<'a> Import<'a> {
    pub(super) fn new(
        publication: &'a Publication,
        from: &'a Path,
        target: &Path,
        unchecked: bool,
        watch: &'a Stage<'a>,
    ) -> Result<Self> {
        if let Some(library) = target.parent() {
            files::create_directory(library)?;
        }
        let lock = Lock::beside(target, "importing")?;
        heal(target);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let staged = target.with_file_name(format!("{}{}", drafts(&name), std::process::id()));
        clear(&staged)?;
        let (target, taken) = (target.to_path_buf(), Vec::new());
        Ok(Self { publication, from, staged, target, unchecked, watch, taken, _lock: lock })
    }

    /// What the user named: a file or a directory.
    pub fn from(&self) -> &'a Path {
        self.from
    }

    /// A published file by its name, checked: the one the user named, or one of this name in the
    /// directory the user named, also with `.gz` or without it. A name may have a folder,
    /// `body/0.png`. `None` if it is not there.
    pub fn find(&mut self, name: &str) -> Result<Option<PathBuf>> {
        let bare = name.strip_suffix(".gz").unwrap_or(name);
        let candidates = [name.to_string(), bare.to_string(), format!("{bare}.gz")];
        let found = match self.from.is_dir() {
            true => candidates.iter().map(|name| self.from.join(name)).find(|path| path.is_file()),
            false => candidates.contains(&name_of(self.from)).then(|| self.from.to_path_buf()),
        };
        if let Some(path) = &found {
            self.check(path, name.contains('/').then_some(name))?;
        }
        Ok(found)
    }

    /// As [`find`](Self::find), but the file must be there.
    pub fn file(&mut self, name: &str) -> Result<PathBuf> {
        match self.find(name)? {
            Some(path) => Ok(path),
            None => Err(self.lacks(name)),
        }
    }

    /// The file of a data set that was published in several forms, one file each: the first of
    /// these names in the directory the user named, or the file the user named, whatever it is
    /// called, as long as its ending is one of theirs.
    pub fn one_of(&mut self, names: &[&'static str]) -> Result<PathBuf> {
        if self.from.is_dir() {
            let found = names.iter().find(|name| self.from.join(name).is_file());
            return self.file(found.unwrap_or(&names[0]));
        }
        let same_ending = |name: &&&str| Path::new(name).extension() == self.from.extension();
        match names.iter().find(same_ending) {
            Some(name) => {
                self.check(self.from, Some(name))?;
                Ok(self.from.to_path_buf())
            }
            None => Err(self.lacks(names[0])),
        }
    }

    /// A folder by its name, as `data/cars`: the one the user named, or one in it. Its files were
    /// published as an archive and are not checked one by one.
    pub fn folder(&mut self, name: &str) -> Option<PathBuf> {
        let itself = self.from.is_dir() && self.from.ends_with(name);
        let found = if itself { self.from.to_path_buf() } else { self.from.join(name) };
        found.is_dir().then(|| {
            self.take(name);
            found
        })
    }

    /// The error that something is missing.
    pub fn lacks(&self, name: &str) -> Error {
        // Of a long list the first few tell what it is of.
        const SHOWN: usize = 8;
        let files = self.publication.files;
        let mut known: Vec<&str> = files.iter().map(|file| file.name).take(SHOWN).collect();
        let more = (files.len() > SHOWN).then(|| format!("{} more", files.len() - SHOWN));
        known.extend(more.as_deref());
        let reason = format!("holds no {name}; this data set is made of {}", known.join(", "));
        Error::format(self.from, reason)
    }

    /// Refuse a file that is not the published one of its name, or of the name `published_as`. One
    /// that was published under no checksum passes.
    fn check(&mut self, path: &Path, published_as: Option<&str>) -> Result<()> {
        let name = name_of(path);
        let files = self.publication.files;
        let named = |name: &str| files.iter().find(|file| file.name == name);
        let published = match named(&name) {
            Some(file) => Some((file, false)),
            None => match name.strip_suffix(".gz").and_then(named) {
                Some(file) => Some((file, true)),
                None => published_as.and_then(named).map(|file| (file, false)),
            },
        };
        if let Some((file, packed)) = published
            && !self.unchecked
        {
            published::check(path, file, packed)?;
        }
        let folder = published_as.filter(|name| name.contains('/'));
        self.take(folder.unwrap_or(&name));
        Ok(())
    }

    fn take(&mut self, name: &str) {
        if !self.taken.iter().any(|taken| taken == name) {
            self.taken.push(name.to_string());
        }
    }

    /// A share of the work is done, 1 being all of it.
    pub fn advance(&self, share: f64) -> Result<()> {
        self.watch.advance(share)
    }

    /// Row `row` of `rows` is done, in a stage that is this share of the work.
    pub fn row_done(&self, row: usize, rows: usize, share: f64) -> Result<()> {
        // Not at every row: the one who watches may draw a bar.
        const STEP: usize = 256;
        let done = row + 1;
        match done.is_multiple_of(STEP) || done == rows {
            true => self.advance(share * ((row % STEP) + 1) as f64 / rows as f64),
            false => Ok(()),
        }
    }

    /// Begin a part: images of `size` [height, width, channels], of which the byte 255 means 1; or,
    /// where `bits` allows it and there are only zeros and ones, 1 means 1. Which values a discrete
    /// factor takes is seen from the rows.
    pub fn part(
        &self,
        name: &str,
        size: [usize; 3],
        bits: bool,
        factors: Vec<Factor>,
    ) -> Result<PartWriter> {
        PartWriter::create(&self.staged, name, size, bits, factors)
    }

    /// Begin a file of arrays of the data set's own form.
    pub fn arrays(&self, name: &str) -> Result<NpzWriter> {
        NpzWriter::create(self.staged.join(name))
    }

    /// Keep a file as it is.
    pub fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.taken.push(name_of(self.from));
        files::write(self.staged.join(name), bytes)
    }

    /// Write what this is, and give the directory its name in place of an earlier import.
    pub(super) fn finish(mut self) -> Result<()> {
        let mut about = Table::new();
        about.insert("format".into(), FORMAT.into());
        about.insert("name".into(), name_of(&self.target).into());
        about.insert("licence".into(), self.publication.licence.into());
        about.insert("citation".into(), self.publication.citation.into());
        let files = std::mem::take(&mut self.taken).into_iter().map(Value::from).collect();
        about.insert("files".into(), Value::Array(files));
        about.insert("checked".into(), (!self.unchecked).into());
        about.insert("sums".into(), Value::Table(Sums::of(&self.staged)?.to_table()));
        let mut about = format!("{about}\n# checksum: {}\n", checksum::ROOM).into_bytes();
        checksum::seal(&mut about);
        files::write(self.staged.join(ABOUT), &about)?;
        let old = former(&self.target);
        // A directory cannot be renamed over a full one; the old one is kept until the new is there for good.
        let replaces = self.target.exists();
        if replaces {
            files::rename(&self.target, &old)?;
        }
        if let Err(source) = files::rename(&self.staged, &self.target) {
            if replaces {
                let _ = fs::rename(&old, &self.target);
            }
            return Err(source);
        }
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

impl Drop for Import<'_> {
    fn drop(&mut self) {
        // After `finish` the temporary name is gone and this does nothing.
        let _ = fs::remove_dir_all(&self.staged);
    }
}

/// How the directories of imports under way begin.
fn drafts(name: &str) -> String {
    format!(".{name}.tmp-")
}

/// Where an earlier import is while a new one takes its place.
pub(super) fn former(target: &Path) -> PathBuf {
    target.with_file_name(format!(".{}.former", name_of(target)))
}

/// Undo what an import has left that was killed: the former one comes back if the new one had not yet taken its place, and
/// what is half-written goes. Whoever calls has the lock.
pub(super) fn heal(target: &Path) {
    let former = former(target);
    if former.is_dir() {
        let _ = match target.exists() {
            true => fs::remove_dir_all(&former),
            false => fs::rename(&former, target),
        };
    }
    let begins = drafts(&name_of(target));
    let library = target.parent().and_then(|library| fs::read_dir(library).ok());
    for entry in library.into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&begins) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
