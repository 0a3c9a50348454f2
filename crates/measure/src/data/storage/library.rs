//! The library of this machine: published files, checked and converted once into a form that is
//! read by row in constant time and memory.
//!
//! ```text
//! <library>/<data set>/about.toml     what was imported, and from which files
//! <library>/<data set>/<part>.bin     observations as bytes, [rows, height, width, channels]
//! <library>/<data set>/<part>.npz     shape, values, names; targets and actions if any
//! ```
//!
//! A part may also be a range of the rows of another; then it has a table and no `.bin`.
//!
//! A data set is written under a temporary name and renamed when it is whole.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use toml::Table;

use crate::data::storage::stored::Stored;
use crate::data::{Dataset, Opened, Source};
use crate::error::{Error, Result};
use crate::files;
use crate::files::lock::Lock;
use crate::settings;
use crate::watch::Stage;
use importing::{former, heal};
use sums::Sums;

mod checksum;
mod importing;
mod part;
mod sums;

pub use checksum::Checksum;
pub use importing::Import;
pub use part::PartWriter;

/// A data set that others published as files.
pub struct Publication {
    /// Under which terms.
    pub licence: &'static str,
    /// What to cite.
    pub citation: &'static str,
    /// The parts that an import makes; the first is what is opened if none is named.
    pub parts: &'static [&'static str],
    /// The files as published.
    pub files: &'static [PublishedFile],
    /// Convert them.
    pub import: fn(&mut Import) -> Result<()>,
}

/// A file as published.
#[derive(Clone, Copy, Debug)]
pub struct PublishedFile {
    /// Its name.
    pub name: &'static str,
    /// How long it is, or 0 where nobody says.
    pub bytes: u64,
    /// What its contents add up to.
    pub checksum: Checksum,
    /// A stable public address, or "" where none is known or where another file of the list holds
    /// the same. It may lead to the file packed with gzip; then it ends in `.gz` and `name` does
    /// not, and the checksum is that of the unpacked file.
    pub address: &'static str,
}

static CHOSEN: OnceLock<PathBuf> = OnceLock::new();

/// Keep data sets in this directory for as long as the process lives. Only the first call counts;
/// false if this was not it.
pub fn set_root(directory: PathBuf) -> bool {
    CHOSEN.set(directory).is_ok()
}

/// Where imported data sets live: the directory that was set, `UNBRAID_DATA_DIR`, or `unbraid` in
/// the user's data directory.
pub fn root() -> Result<PathBuf> {
    if let Some(chosen) = CHOSEN.get() {
        return Ok(chosen.clone());
    }
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(chosen) = variable("UNBRAID_DATA_DIR") {
        return Ok(chosen.into());
    }
    // The rules of XDG, which ask for an absolute path; the other systems have one variable each.
    let shared = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let local = || variable("LOCALAPPDATA").filter(|_| cfg!(windows)).map(PathBuf::from);
    let home = || variable("HOME").map(|home| Path::new(&home).join(".local").join("share"));
    match shared.or_else(local).or_else(home) {
        Some(directory) => Ok(directory.join("unbraid")),
        None => Err(Error::Missing(
            "there is no home directory to keep data sets in; set UNBRAID_DATA_DIR to a directory"
                .into(),
        )),
    }
}

/// The directory of one data set, whether it is there or not.
pub fn directory(name: &str) -> Result<PathBuf> {
    Ok(root()?.join(name))
}

/// Whether a data set has been imported.
pub fn has(name: &str) -> bool {
    directory(name).is_ok_and(|directory| directory.join(ABOUT).is_file())
}

const ABOUT: &str = "about.toml";

/// The number of the form in which a data set lies in the library.
const FORMAT: i64 = 1;

/// Convert the files in `from`, or the one that it is, and keep the result. Files that are not the
/// published ones are refused unless `unchecked`. Returns the directory.
pub fn import(source: &Source, from: &Path, unchecked: bool, watch: &Stage) -> Result<PathBuf> {
    let name = source.info.name;
    let publication = source.publication.ok_or_else(|| {
        Error::Missing(format!(
            "`{name}` has no files to import; `unbraid show {name}` says what it is made from"
        ))
    })?;
    let target = directory(name)?;
    import_to(publication, from, &target, unchecked, watch)?;
    Ok(target)
}

/// Refuse a file that is not the published one. It may be packed with gzip where that is not.
pub fn check(path: &Path, published: &PublishedFile) -> Result<()> {
    let packed = |name: &Path| name.extension().is_some_and(|ending| ending == "gz");
    checksum::check(path, published, packed(path) && !packed(Path::new(published.name)))
}

/// As [`import`], to any directory; [`open_at`] reads it.
pub fn import_to(
    publication: &Publication,
    from: &Path,
    target: &Path,
    unchecked: bool,
    watch: &Stage,
) -> Result<()> {
    if !from.exists() {
        return Err(Error::io("read", from, &std::io::ErrorKind::NotFound.into()));
    }
    let mut import = Import::new(publication, from, target, unchecked, watch)?;
    (publication.import)(&mut import)?;
    import.finish()
}

/// Refuse an imported data set of which a bit has changed; whether it could be told: one that an earlier version
/// imported has no sums.
pub fn check_imported(name: &str, watch: &Stage) -> Result<bool> {
    let directory = directory(name)?;
    match Sums::read(&directory)? {
        Some(sums) => sums.check_all(&directory, watch).map(|()| true),
        None => Ok(false),
    }
}

/// Open a part of what was imported to a directory.
pub fn open_at(directory: &Path, part: &str) -> Result<Box<dyn Dataset>> {
    Ok(Box::new(part::read(directory, part)?))
}

/// The settings of a data set that is read from the library.
#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
struct Settings {
    part: String,
}

/// Open a part of an imported data set with the settings of `[data]`: the one named by `part`, or
/// the first.
pub(crate) fn open(name: &str, publication: &Publication, given: &Table) -> Result<Opened> {
    let mut settings: Settings = settings::parse("data", given)?;
    if settings.part.is_empty() {
        settings.part = publication.parts[0].into();
    }
    if !publication.parts.contains(&settings.part.as_str()) {
        let known = publication.parts.join(", ");
        let reason = format!("cannot be \"{}\"; the parts are {known}", settings.part);
        return Err(Error::setting("data.part", reason));
    }
    let data = open_part(name, publication, &settings.part)?;
    Ok((Box::new(data), settings::to_table(&settings)))
}

/// Where the images of a data set come from that can be drawn and was published too.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    #[default]
    Drawn,
    Published,
}

#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
struct OriginSettings {
    source: Origin,
}

/// Open a data set that is drawn, or read from the library if the setting `source` says so.
pub(crate) fn drawn_or_published(
    name: &str,
    publication: &Publication,
    given: &Table,
    draw: impl FnOnce() -> Result<Box<dyn Dataset>>,
) -> Result<Opened> {
    let settings: OriginSettings = settings::parse("data", given)?;
    let data = match settings.source {
        Origin::Drawn => draw()?,
        Origin::Published => Box::new(open_part(name, publication, publication.parts[0])?),
    };
    Ok((data, settings::to_table(&settings)))
}

/// The directory of an imported data set, which must be there.
pub(crate) fn imported(name: &str, publication: &Publication) -> Result<PathBuf> {
    let target = directory(name)?;
    if !has(name) && former(&target).is_dir() {
        // An import was killed between two renames, unless it is just about to do the second.
        let _lock = Lock::beside(&target, "putting an import back")?;
        heal(&target);
    }
    if has(name) {
        return Ok(target);
    }
    let addressed = publication.files.iter().any(|file| !file.address.is_empty());
    let fetch = match addressed {
        true => format!("`unbraid data fetch {name}` downloads it, and "),
        false => String::new(),
    };
    Err(Error::NotHere(format!(
        "`{name}` is not on this machine yet: {fetch}`unbraid data import {name} --from \
         FILE_OR_DIRECTORY` takes the published files"
    )))
}

/// A file of an imported data set that was kept as it is.
pub(crate) fn kept(name: &str, publication: &Publication, file: &str) -> Result<PathBuf> {
    let directory = imported(name, publication)?;
    Sums::read(&directory)?.unwrap_or_default().check(&directory, file)?;
    Ok(directory.join(file))
}

/// A part of an imported data set.
pub(crate) fn open_part(name: &str, publication: &Publication, part: &str) -> Result<Stored> {
    let directory = imported(name, publication)?;
    if !directory.join(format!("{part}.npz")).is_file() {
        return Err(Error::Missing(format!(
            "`{name}` was imported without its part \"{part}\"; import it again from a directory \
             that holds all files"
        )));
    }
    part::read(&directory, part)
}

/// Take a half-written directory of an earlier, killed import away.
fn clear(directory: &Path) -> Result<()> {
    match fs::remove_dir_all(directory) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("write", directory, &source))
        }
        _ => files::create_directory(directory),
    }
}

#[cfg(test)]
mod tests;
