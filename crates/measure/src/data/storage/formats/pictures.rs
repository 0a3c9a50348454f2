//! Pictures in a folder or a zip archive.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use image::imageops::crop_imm;
use image::{DynamicImage, ImageReader, Limits};
use rayon::prelude::*;
use zip::ZipArchive;

use super::lanczos;
use crate::error::{Error, Result};
use crate::files;

/// No single picture of these sets is near this many bytes or pixels on a side.
const LARGEST_FILE: u64 = 1 << 24;
const LARGEST_SIDE: u32 = 4096;
/// The most bytes of memory for a single picture of anybody: 67 million pixels of three colours. A decoder may need them twice.
const LARGEST_PICTURE: u64 = 200 << 20;
/// How many are held packed at once while they are decoded by all threads.
const BATCH: usize = 256;

/// A folder with the folders within it, or a zip archive.
pub(in crate::data) struct Pictures {
    path: PathBuf,
    place: Place,
}

enum Place {
    Folder,
    Zip(Box<ZipArchive<BufReader<File>>>),
}

impl Pictures {
    /// Open a folder, or else an archive.
    pub(in crate::data) fn open(path: &Path) -> Result<Self> {
        let path = path.to_path_buf();
        if path.is_dir() {
            return Ok(Self { path, place: Place::Folder });
        }
        let file = files::open(&path)?;
        match ZipArchive::new(BufReader::new(file)) {
            Ok(archive) => Ok(Self { path, place: Place::Zip(Box::new(archive)) }),
            Err(source) => {
                let reason = format!("is no readable zip archive ({source}); is it truncated?");
                Err(Error::format(path, reason))
            }
        }
    }

    /// The names of all files with one of these endings, with `/` between folders, in no order.
    pub(in crate::data) fn names(&self, endings: &[&str]) -> Result<Vec<String>> {
        let mut names = Vec::new();
        match &self.place {
            Place::Folder => list(&self.path, "", &mut names)?,
            Place::Zip(archive) => {
                names.extend(archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())));
            }
        }
        // Archives packed on a Mac carry a shadow of every file.
        let hidden =
            |name: &str| name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
        let wanted = |name: &str| {
            let ending = Path::new(name).extension().unwrap_or_default().to_ascii_lowercase();
            endings.iter().any(|known| ending == *known)
        };
        names.retain(|name| wanted(name) && !hidden(name));
        Ok(names)
    }

    /// Decode these pictures, in order, and hand each to `take` after `prepare`. All must have the
    /// same size.
    pub(in crate::data) fn each(
        &mut self,
        names: &[String],
        prepare: impl Fn(DynamicImage) -> Vec<u8> + Sync,
        mut take: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut size: Option<(u32, u32)> = None;
        for (batch, names) in names.chunks(BATCH).enumerate() {
            let packed: Vec<Vec<u8>> =
                names.iter().map(|name| self.bytes(name)).collect::<Result<_>>()?;
            let path = &self.path;
            let decoded: Vec<Result<_>> = packed
                .into_par_iter()
                .zip(names)
                .map(|(bytes, name)| {
                    let picture = decode(path, name, bytes)?;
                    Ok(((picture.width(), picture.height()), prepare(picture)))
                })
                .collect();
            for (k, (decoded, name)) in decoded.into_iter().zip(names).enumerate() {
                let (found, bytes) = decoded?;
                let expected = *size.get_or_insert(found);
                if found != expected {
                    return Err(Error::format(
                        &self.path,
                        format!(
                            "holds pictures of different sizes: {name} has {}x{} pixels and those \
                             before it {}x{}",
                            found.0, found.1, expected.0, expected.1
                        ),
                    ));
                }
                take(batch * BATCH + k, &bytes)?;
            }
        }
        Ok(())
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        let refuse = |reason: String| Error::format(&self.path, format!("{name} {reason}"));
        let cut = |source: &dyn std::fmt::Display| {
            refuse(format!("cannot be read ({source}); is it truncated?"))
        };
        let mut bytes = Vec::new();
        // One byte more than is allowed tells that there are too many, whatever a header says.
        let count = match &mut self.place {
            Place::Folder => {
                let file = File::open(self.path.join(name)).map_err(|source| cut(&source))?;
                file.take(LARGEST_FILE + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|source| cut(&source))?
            }
            Place::Zip(archive) => {
                let file = archive.by_name(name).map_err(|source| cut(&source))?;
                file.take(LARGEST_FILE + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|source| cut(&source))?
            }
        };
        match count as u64 > LARGEST_FILE {
            true => Err(refuse("is larger than any picture of this data set".into())),
            false => Ok(bytes),
        }
    }
}

fn decode(path: &Path, name: &str, bytes: Vec<u8>) -> Result<DynamicImage> {
    let reader = ImageReader::new(Cursor::new(bytes));
    decoded(reader, LARGEST_SIDE).map_err(|reason| Error::format(path, format!("{name} {reason}")))
}

/// A picture by its content, since some files carry the ending of another format, with no more memory than pictures
/// need: a few bytes can claim to be half a gigabyte.
pub(in crate::data) fn decoded<R: BufRead + Seek>(
    reader: ImageReader<R>,
    side: u32,
) -> std::result::Result<DynamicImage, String> {
    let refuse = |source: &dyn Display| format!("cannot be decoded ({source}); is it truncated?");
    let mut reader = reader.with_guessed_format().map_err(|source| refuse(&source))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(side);
    limits.max_image_height = Some(side);
    limits.max_alloc = Some(LARGEST_PICTURE);
    reader.limits(limits);
    let picture = reader.decode().map_err(|source| refuse(&source))?;
    match picture.width() == 0 || picture.height() == 0 {
        true => Err("has no pixels".into()),
        false => Ok(picture),
    }
}

/// The files in a folder and below, as paths with `/` from the top folder on; without those whose
/// name, or whose folder's, begins with a dot.
pub(in crate::data) fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<()> {
    let unreadable = |source: std::io::Error| Error::io("read", folder, &source);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        // `file_type` does not follow links, so a link to a parent folder is no endless loop.
        match entry.file_type().map_err(unreadable)?.is_dir() {
            true => list(&entry.path(), &format!("{prefix}{name}/"), names)?,
            false => names.push(format!("{prefix}{name}")),
        }
    }
    Ok(())
}

/// The square of at most `side` pixels in the middle of a picture, in colour, made [to, to, 3].
pub(in crate::data) fn middle(picture: DynamicImage, side: u32, to: usize) -> Vec<u8> {
    let picture = picture.into_rgb8();
    let side = side.min(picture.width()).min(picture.height());
    let (x, y) = ((picture.width() - side) / 2, (picture.height() - side) / 2);
    let square = crop_imm(&picture, x, y, side, side).to_image();
    lanczos::resize(square.as_raw(), [side as usize, side as usize, 3], to)
}
