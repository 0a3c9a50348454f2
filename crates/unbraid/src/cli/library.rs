//! `unbraid data import` and `data fetch`: published files into the library of this machine.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use unbraid::Error;
use unbraid::data::storage::library::{self, Checksum, Publication, PublishedFile};
use unbraid::data::{self, Source};
use unbraid::fetch::{self, Wanted};
use unbraid::watch::Stage;
use unbraid_measure::files::lock::Lock;

use super::Output;
use super::args::{DataFetch, DataImport};
use super::progress::watched;

/// Take files that the user has.
pub(super) fn import(options: &DataImport, output: Output) -> Result<ExitCode> {
    let source = data::find(&options.name)?;
    let unchecked = options.unchecked;
    watched("importing", output, |screen| {
        let stage = Stage::new(screen, "importing");
        let directory = library::import(source, &options.from, unchecked, &stage)?;
        tell(source, &directory, output)
    })
}

/// Download what has a public address, check and import it.
pub(super) fn fetch(options: &DataFetch, output: Output) -> Result<ExitCode> {
    let source = data::find(&options.name)?;
    let publication = published(source)?;
    if publication.files.iter().all(|file| file.address.is_empty()) {
        return Err(Error::Unable(format!(
            "no stable public address of `{0}` is known; get the files where its page says \
             (`unbraid show {0}`) and use `unbraid data import {0} --from DIRECTORY`",
            options.name
        ))
        .into());
    }
    check_known(publication, options)?;
    let downloads = library::root()?.join("downloads").join(&options.name);
    create(&downloads)?;
    let _lock = Lock::take(&downloads, "downloading")?;
    let code = watched("downloading", output, |screen| {
        download(publication, &downloads, &Stage::new(screen, "downloading"))
    })?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let imported = watched("importing", output, |screen| {
        let stage = Stage::new(screen, "importing");
        let directory = library::import(source, &downloads, false, &stage)?;
        tell(source, &directory, output)
    });
    match imported {
        // What was converted is of no more use; what is left behind costs space only.
        Ok(ExitCode::SUCCESS) => drop(fs::remove_dir_all(&downloads)),
        Ok(_) => {}
        Err(_) => remove_damaged(publication, &downloads),
    }
    imported
}

fn create(directory: &Path) -> Result<()> {
    let made = fs::create_dir_all(directory);
    Ok(made.map_err(|error| unbraid_measure::Error::io("create", directory, &error))?)
}

/// Take files away that are not the published ones, so that the same command downloads them again
/// and keeps the others.
fn remove_damaged(publication: &Publication, directory: &Path) {
    for file in publication.files {
        let path = directory.join(saved_as(file));
        if path.is_file() && library::check(&path, file).is_err() {
            let _ = fs::remove_file(path);
        }
    }
}

fn download(publication: &Publication, directory: &Path, watch: &Stage) -> Result<()> {
    let files = publication.files.iter().filter(|file| !file.address.is_empty());
    let files: Vec<_> = files.collect();
    let all: u64 = files.iter().map(|file| file.bytes.max(1)).sum();
    for file in files {
        let share = file.bytes.max(1) as f64 / all as f64;
        let target = directory.join(saved_as(file));
        // Some are in folders.
        create(target.parent().unwrap_or(directory))?;
        let wanted = Wanted { address: file.address, target: &target, most: longest(file) };
        fetch::fetch(wanted, share, watch)?;
    }
    Ok(())
}

/// Whatever a server sends under such a name would be taken.
fn check_known(publication: &Publication, options: &DataFetch) -> Result<()> {
    let unknown = |file: &&PublishedFile| {
        !file.address.is_empty() && matches!(file.checksum, Checksum::Unknown)
    };
    match publication.files.iter().find(unknown) {
        Some(file) if !options.trust => Err(Error::Unable(format!(
            "nobody has published a checksum of {}, so what comes cannot be checked; --trust takes it as it comes",
            file.name
        ))
        .into()),
        _ => Ok(()),
    }
}

/// How many bytes a file has at most, 0 where nobody knows. Packed it can be a little longer than what it unpacks to.
fn longest(file: &PublishedFile) -> u64 {
    match file.bytes {
        0 => 0,
        bytes => bytes + bytes / 100 + 1024,
    }
}

/// A file that is packed at its address keeps the ending that says so.
fn saved_as(file: &PublishedFile) -> String {
    let packed = |name: &str| Path::new(name).extension().is_some_and(|ending| ending == "gz");
    match packed(file.address) && !packed(file.name) {
        true => format!("{}.gz", file.name),
        false => file.name.into(),
    }
}

fn published(source: &Source) -> Result<&'static Publication> {
    let name = source.info.name;
    source.publication.ok_or_else(|| {
        Error::Unable(format!("`{name}` needs no download: `unbraid data preview {name}` draws it"))
            .into()
    })
}

/// Where it lies, and under which terms.
fn tell(source: &Source, directory: &Path, output: Output) -> Result<()> {
    let publication = published(source)?;
    output.note(&format!("licence: {}", publication.licence));
    output.note(&format!("cite: {}", publication.citation));
    output.file(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_download_is_not_kept_and_the_others_are() {
        let file = |name| PublishedFile {
            name,
            bytes: 3,
            checksum: Checksum::Md5("900150983cd24fb0d6963f7d28e17f72"),
            address: "",
        };
        let files: &'static [PublishedFile] = vec![file("a"), file("b"), file("c")].leak();
        let publication =
            Publication { licence: "", citation: "", parts: &[], files, import: |_| Ok(()) };
        let directory = tempfile::tempdir().unwrap();
        let path = |name| directory.path().join(name);
        fs::write(path("a"), "abc").unwrap();
        fs::write(path("b"), "abd").unwrap();
        remove_damaged(&publication, directory.path());
        assert!(path("a").is_file() && !path("b").exists() && !path("c").exists());
    }
}
