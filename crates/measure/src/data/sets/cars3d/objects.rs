//! The cars, one MATLAB file each, in a folder or in the archive.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::Archive;

use crate::error::{Error, Result};
use crate::files;

/// How many cars there are, at most.
const CARS: usize = 183;
/// The pixels and the mask of a car take 6.3 MB unpacked; nothing near this is one.
const LARGEST: u64 = 1 << 26;
const LIST: &str = "list.txt";

/// Images by the name of the car, and the list of names if there is one.
pub(super) struct Objects {
    path: PathBuf,
    images: BTreeMap<String, Views>,
    list: Option<String>,
}

/// The images of one car, one for each side it is seen from.
type Views = Vec<Vec<u8>>;

/// How the file of a car becomes images.
type Convert = fn(&Path, &str, &[u8]) -> Result<Views>;

impl Objects {
    /// From a folder of .mat files.
    pub(super) fn in_folder(folder: &Path, convert: Convert) -> Result<Self> {
        let unreadable = |source: std::io::Error| Error::io("read", folder, &source);
        let mut objects = Self::new(folder);
        for entry in folder.read_dir().map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_file() && Self::wants(&path) {
                let file = files::open(&path)?;
                objects.take(&path, file, convert)?;
            }
        }
        Ok(objects)
    }

    /// From the archive, which is read once, from start to end.
    pub(super) fn in_archive(archive: &Path, convert: Convert) -> Result<Self> {
        let file = files::open(archive)?;
        let cut = |source: std::io::Error| {
            let reason = format!("cannot be unpacked ({source}); is it truncated?");
            Error::format(archive, reason)
        };
        let mut objects = Self::new(archive);
        for entry in Archive::new(MultiGzDecoder::new(file)).entries().map_err(cut)? {
            let entry = entry.map_err(cut)?;
            let path = entry.path().map_err(cut)?.into_owned();
            if path.parent().is_some_and(|folder| folder.ends_with("cars")) && Self::wants(&path) {
                objects.take(&path, entry, convert)?;
            }
        }
        Ok(objects)
    }

    fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), images: BTreeMap::new(), list: None }
    }

    fn wants(path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && (name == LIST || name.ends_with(".mat"))
    }

    /// Read one file of the set.
    fn take(&mut self, path: &Path, reader: impl Read, convert: Convert) -> Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        let count = reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|source| {
            self.refuse(format!("holds {name}, which cannot be read ({source})"))
        })?;
        if count as u64 > LARGEST {
            return Err(self.refuse(format!("holds {name}, which is larger than any car")));
        }
        match name.strip_suffix(".mat") {
            None => self.list = Some(String::from_utf8_lossy(&bytes).into_owned()),
            Some(_) if self.images.len() == CARS => {
                return Err(self.refuse(format!("holds more than {CARS} .mat files of cars")));
            }
            Some(car) => {
                let images = convert(&self.path, &name, &bytes)?;
                self.images.insert(car.to_string(), images);
            }
        }
        Ok(())
    }

    /// The images of all cars: as the list has them, or in the order of their names.
    pub(super) fn in_order(mut self) -> Result<Vec<Views>> {
        if self.images.is_empty() {
            return Err(self.refuse("holds no .mat file of a car; it should have data/cars".into()));
        }
        let Some(list) = self.list.take() else { return Ok(self.images.into_values().collect()) };
        let mut images = Vec::new();
        for name in list.lines().map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.strip_suffix(".mat").unwrap_or(name);
            match self.images.remove(name) {
                Some(car) => images.push(car),
                None => return Err(self.refuse(format!("holds no {name}.mat, which {LIST} names"))),
            }
        }
        match self.images.keys().next() {
            None => Ok(images),
            Some(name) => Err(self.refuse(format!("holds {name}.mat, which {LIST} does not name"))),
        }
    }

    fn refuse(&self, reason: String) -> Error {
        Error::format(&self.path, reason)
    }
}
