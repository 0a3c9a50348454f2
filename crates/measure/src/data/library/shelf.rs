//! Writing a data set into the library, row by row, and opening what was written.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{ABOUT, Publication, PublishedFile, checksum, clear};
use crate::data::stored::{Steps, Stored};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::files::{self, Draft};
use crate::npz::{Npz, NpzWriter};
use crate::watch::Watch;

/// The number of the form in which a data set lies in the library.
const FORMAT: i64 = 1;

/// An import under way: where files come from, and the directory that is being filled.
pub struct Import<'a> {
    publication: &'a Publication,
    from: &'a Path,
    /// Under a temporary name until it is whole; gone if it never is.
    staged: PathBuf,
    target: PathBuf,
    unchecked: bool,
    watch: &'a Watch<'a>,
    taken: Vec<String>,
}

impl<'a> Import<'a> {
    pub(super) fn new(
        publication: &'a Publication,
        from: &'a Path,
        target: &Path,
        unchecked: bool,
        watch: &'a Watch<'a>,
    ) -> Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let staged = target.with_file_name(format!(".{name}.tmp-{}", std::process::id()));
        clear(&staged)?;
        let (target, taken) = (target.to_path_buf(), Vec::new());
        Ok(Self { publication, from, staged, target, unchecked, watch, taken })
    }

    /// What the user named: a file or a directory.
    pub fn from(&self) -> &'a Path {
        self.from
    }

    /// A published file by its name, checked: the one the user named, or one of this name in the
    /// directory the user named, also with `.gz` or without it. `None` if it is not there.
    pub fn find(&mut self, name: &str) -> Result<Option<PathBuf>> {
        let bare = name.strip_suffix(".gz").unwrap_or(name);
        let matches = |path: &Path| {
            let found = path.file_name().unwrap_or_default().to_string_lossy();
            found.strip_suffix(".gz").unwrap_or(&found) == bare
        };
        let candidates = [name.to_string(), bare.to_string(), format!("{bare}.gz")];
        let found = match self.from.is_dir() {
            true => candidates.iter().map(|name| self.from.join(name)).find(|path| path.is_file()),
            false => matches(self.from).then(|| self.from.to_path_buf()),
        };
        if let Some(path) = &found {
            self.check(path)?;
        }
        Ok(found)
    }

    /// As [`find`](Self::find), but the file must be there.
    pub fn file(&mut self, name: &str) -> Result<PathBuf> {
        match self.find(name)? {
            Some(path) => Ok(path),
            None => {
                let known: Vec<&str> =
                    self.publication.files.iter().map(|file| file.name).collect();
                let reason =
                    format!("holds no {name}; this data set is made of {}", known.join(", "));
                Err(Error::format(self.from, reason))
            }
        }
    }

    /// Refuse a file that is not the published one of its name. One that was published under no
    /// checksum passes.
    fn check(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let same = |file: &&PublishedFile| file.name == name;
        if let Some(published) = self.publication.files.iter().find(same)
            && !self.unchecked
        {
            checksum::check(path, published)?;
        }
        if !self.taken.contains(&name) {
            self.taken.push(name);
        }
        Ok(())
    }

    /// A share of the work is done, 1 being all of it.
    pub fn advance(&self, share: f64) -> Result<()> {
        self.watch.advance(share)
    }

    /// Begin a part: images of `size` [height, width, channels], of which the byte `one` means 1.
    pub fn part(
        &self,
        name: &str,
        size: [usize; 3],
        one: u8,
        factors: Vec<Factor>,
    ) -> Result<PartWriter> {
        let observations = Draft::create(self.staged.join(format!("{name}.bin")))?;
        Ok(PartWriter {
            table: self.staged.join(format!("{name}.npz")),
            observations,
            size,
            one,
            factors,
            rows: 0,
            present: [false; 256],
            values: Vec::new(),
            steps: Steps::default(),
        })
    }

    /// Write what this is, and give the directory its name in place of an earlier import.
    pub(super) fn finish(mut self, name: &str) -> Result<()> {
        let mut about = Table::new();
        about.insert("format".into(), FORMAT.into());
        about.insert("name".into(), name.into());
        about.insert("licence".into(), self.publication.licence.into());
        about.insert("citation".into(), self.publication.citation.into());
        let files = std::mem::take(&mut self.taken).into_iter().map(Value::from).collect();
        about.insert("files".into(), Value::Array(files));
        about.insert("checked".into(), (!self.unchecked).into());
        files::write(self.staged.join(ABOUT), about.to_string().as_bytes())?;
        let old = self.staged.with_extension("old");
        let replace = || -> std::io::Result<()> {
            // A directory cannot be renamed over a full one; the old one is kept until the new is there.
            match fs::rename(&self.target, &old) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(source),
                _ => {}
            }
            fs::rename(&self.staged, &self.target)?;
            let _ = fs::remove_dir_all(&old);
            Ok(())
        };
        replace().map_err(|source| Error::io("write", &self.target, &source))
    }
}

impl Drop for Import<'_> {
    fn drop(&mut self) {
        // After `finish` the temporary name is gone and this does nothing.
        let _ = fs::remove_dir_all(&self.staged);
    }
}

/// A part being written.
#[derive(Debug)]
pub struct PartWriter {
    table: PathBuf,
    observations: Draft,
    size: [usize; 3],
    one: u8,
    factors: Vec<Factor>,
    rows: usize,
    present: [bool; 256],
    values: Vec<f32>,
    steps: Steps,
}

impl PartWriter {
    /// Add a row: its bytes, [height, width, channels], and the value of each factor.
    pub fn row(&mut self, bytes: &[u8], values: &[f32]) -> Result<()> {
        let expected = self.size.iter().product::<usize>();
        if bytes.len() != expected || values.len() != self.factors.len() {
            return Err(Error::Array(format!(
                "row {} has {} bytes and {} values, expected {expected} and {}",
                self.rows,
                bytes.len(),
                values.len(),
                self.factors.len()
            )));
        }
        for &byte in bytes {
            self.present[usize::from(byte)] = true;
        }
        self.values.extend_from_slice(values);
        self.rows += 1;
        let path = self.table.with_extension("bin");
        self.observations.write_all(bytes).map_err(|source| Error::io("write", path, &source))
    }

    /// Say what is known of the steps from each row to the next.
    pub fn steps(&mut self, steps: Steps) {
        self.steps = steps;
    }

    /// Write the table; the part is whole.
    pub fn finish(self) -> Result<()> {
        let outside = (0..256).find(|&byte| byte > usize::from(self.one) && self.present[byte]);
        if let Some(byte) = outside {
            let reason = format!("a byte is {byte}, larger than {}, which means 1", self.one);
            return Err(Error::Array(reason));
        }
        self.observations.finish()?;
        let binary = (1..usize::from(self.one)).all(|byte| !self.present[byte]);
        let numbers = |numbers: &[usize]| numbers.iter().map(|n| *n as i64).collect::<Vec<_>>();
        let names: Vec<String> = self.factors.iter().map(|factor| factor.name.clone()).collect();
        let sizes: Vec<usize> =
            self.factors.iter().map(|factor| factor.size().unwrap_or(0)).collect();
        let mut table = NpzWriter::create(&self.table)?;
        table.array("format", &[], &[FORMAT])?;
        table.array("shape", &[4], &numbers(&[&[self.rows], &self.size[..]].concat()))?;
        table.array("one", &[], &[i64::from(self.one)])?;
        table.array("binary", &[], &[i64::from(binary)])?;
        if !names.is_empty() {
            table.array("values", &[self.rows, names.len()], &self.values)?;
            table.strings("names", &names)?;
            table.array("sizes", &[sizes.len()], &numbers(&sizes))?;
        }
        for (name, numbers) in [("targets", &self.steps.targets), ("actions", &self.steps.actions)]
        {
            if !numbers.is_empty() {
                table.array(name, &[self.rows, numbers.len() / self.rows.max(1)], numbers)?;
            }
        }
        if !self.steps.follows.is_empty() {
            let follows: Vec<u8> = self.steps.follows.iter().map(|f| u8::from(*f)).collect();
            table.array("follows", &[self.rows], &follows)?;
        }
        table.finish()
    }
}

/// Open a part.
pub(super) fn read(directory: &Path, part: &str) -> Result<Stored> {
    let path = directory.join(format!("{part}.npz"));
    let mut table = Npz::open(&path)?;
    let damaged = |what: &str| Error::format(&path, format!("{what}; import the data set again"));
    let mut whole = |name: &str| -> Result<Vec<usize>> {
        Ok(table.array(name)?.into_floats().into_iter().map(|number| number as usize).collect())
    };
    if whole("format")?.first().is_none_or(|format| *format > FORMAT as usize) {
        return Err(Error::format(&path, "was written by a newer unbraid; update to read it"));
    }
    let shape = whole("shape")?;
    let &[rows, height, width, channels] = &shape[..] else {
        return Err(damaged("has no shape"));
    };
    let one = whole("one")?.first().copied().unwrap_or(255);
    let binary = whole("binary")?.first() == Some(&1);
    let observations = directory.join(format!("{part}.bin"));
    let unreadable = |source: std::io::Error| Error::io("read", &observations, &source);
    let file = File::open(&observations).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let expected = shape.iter().try_fold(1_usize, |size, axis| size.checked_mul(*axis));
    if expected.map(|size| size as u64) != Some(length) {
        return Err(damaged("and the .bin beside it disagree in length"));
    }
    let mut data = Stored::file(file, rows, [height, width, channels], one as f32, binary);
    if table.has("values") {
        let names = table.strings("names")?;
        let sizes = table.array("sizes")?.into_floats();
        let values = table.array("values")?.into_floats();
        if values.len() != rows * names.len() || sizes.len() != names.len() {
            return Err(damaged("has values, names and sizes that disagree"));
        }
        let whole: Vec<bool> = sizes.iter().map(|size| *size != 0.0).collect();
        data = data.with_values(&names, values, &whole);
    }
    let mut steps = Steps::default();
    for (name, numbers) in [("targets", &mut steps.targets), ("actions", &mut steps.actions)] {
        if table.has(name) {
            *numbers = table.array(name)?.into_floats();
        }
    }
    if table.has("follows") {
        let follows = table.array("follows")?.into_floats();
        steps.follows = follows.into_iter().map(|follows| follows != 0.0).collect();
    }
    if !steps.fits(rows) {
        return Err(damaged("has steps that do not fit its rows"));
    }
    Ok(data.with_steps(steps))
}
