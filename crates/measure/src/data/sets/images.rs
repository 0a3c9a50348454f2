//! `images`: your own pictures, from a folder, with labels from a table, the folders or the names
//! of the files.

use std::collections::BTreeMap;
use std::path::Path;

use image::{DynamicImage, ImageReader};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::about::{self, About};
use crate::data::storage::formats::pictures::{decoded, list};
use crate::data::storage::stored::Stored;
use crate::data::{Opened, Source};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::settings::{self, words};

mod fitting;
mod labels;
mod pattern;

use labels::Labels;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "images",
        title: "Images",
        summary: "your own pictures from a folder of PNG, JPEG, WebP and GIF files",
        paper: "",
        page: "\
Your own pictures: every .png, .jpg, .jpeg, .webp and .gif (its first frame) in a folder and the
folders within it, in the order of their paths. Names that begin with a dot are left out; other
files are counted and named by `unbraid data info`. All are read at the start and held in memory as
bytes, and handed out as numbers from 0 to 1.

Labels come from one of three places. A table (.csv with any separator, .tsv, .parquet) with a row
per picture: the column `file`, `file_name`, `filename`, `path` or `image`, or else the first one,
has the path of the picture within the folder, the others are the factors:

```csv
file,size,kind
red/a.png,0.5,cup
red/b.png,0.7,plate
```

Or the folders: `labels = \"folders\"` makes the factor `class` of the folder that a picture is in.
Or the names of the files: with `pattern = \"{subject}_{pose}_*\"`, s01_left_3.png has the factors
subject s01 and pose left. A star stands for anything; a pattern with a / is held against the whole
path.

A column of numbers is a factor of these numbers; a column of words is a factor whose values 0, 1,
2, ... are the words in alphabetical order. Whole numbers and words are discrete; other numbers are
discrete if they repeat. Pictures without a label are learned from, and left out of scores.

Settings:
- path: the folder.
- labels: the table, \"folders\", or \"\" for none. Without labels you can train, but not score
  against factors.
- pattern: the form of the file names, without their ending, or \"\".
- size: make every picture this many pixels high and wide (Lanczos); 0 keeps them as they are, and
  then all must be equal.
- fit: how a picture that is not square becomes so: \"crop\" cuts off what is too long, \"pad\" puts
  black around (transparency, with 4 channels), \"stretch\" changes its proportions.
- channels: 1 for grey, 3 for colour, 4 for colour with transparency; 0 takes grey or colour from
  the first picture. Transparency is dropped unless it is asked for.
- endings: the endings of files that are pictures.
- corrupt: \"refuse\" a picture that cannot be read, or \"skip\" and name it.",
    },
    open,
    publication: None,
};

/// The largest side pictures are resized to.
const LARGEST: u32 = 4096;
/// The endings of what can be read.
const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "webp", "gif"];
/// So many pictures that were skipped are named.
const NAMED: usize = 5;

words! {
    /// How a picture becomes a square.
    enum Fit {
        /// The middle of it.
        Crop = "crop",
        /// All of it, within black.
        Pad = "pad",
        /// All of it, in other proportions.
        Stretch = "stretch",
    }
}

words! {
    /// What is done with a picture that cannot be read.
    enum Corrupt {
        /// Nothing is opened.
        Refuse = "refuse",
        /// It is left out.
        Skip = "skip",
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    path: String,
    labels: String,
    pattern: String,
    size: u32,
    fit: Fit,
    channels: usize,
    endings: Vec<String>,
    corrupt: Corrupt,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            path: String::new(),
            labels: String::new(),
            pattern: String::new(),
            size: 0,
            fit: Fit::Crop,
            channels: 0,
            endings: ENDINGS.map(String::from).to_vec(),
            corrupt: Corrupt::Refuse,
        }
    }
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    check(&settings)?;
    let folder = Path::new(&settings.path);
    let mut all = Vec::new();
    list(folder, "", &mut all)?;
    all.sort();
    let (files, others): (Vec<String>, Vec<String>) =
        all.into_iter().partition(|file| is_picture(folder, file, &settings.endings));
    if files.is_empty() {
        return Err(no_pictures(folder, &others, &settings.endings));
    }
    let labels = labels_of(&settings, folder, &files)?;
    let (mut data, skipped) = decode_all(folder, &files, &settings)?;
    let mut about = About::default();
    about.remarks.extend(left_alone(&settings, folder, &others));
    about.remarks.extend(said_of(&skipped, &files));
    if let Some(mut labels) = labels {
        labels.forget(&skipped);
        let unknown = labels.unknown();
        if unknown > 0 {
            about.remarks.push(about::unlabelled(unknown, files.len() - skipped.len()));
        }
        about.channels = std::mem::take(&mut labels.channels);
        data =
            data.with_values(&labels.names, labels.values, &labels.whole).with_words(labels.words);
    }
    Ok((Box::new(data.with_about(about)), settings::to_table(&settings)))
}

fn check(settings: &Settings) -> Result<()> {
    if settings.path.is_empty() {
        return Err(Error::setting("data.path", "is missing: name the folder of pictures to read"));
    }
    if !matches!(settings.channels, 0 | 1 | 3 | 4) {
        let reason = "must be 1 (grey), 3 (colour), 4 (with transparency) or 0 (as the first)";
        return Err(Error::setting("data.channels", reason));
    }
    if settings.size > LARGEST {
        let reason = format!("must be at most {LARGEST} pixels");
        return Err(Error::setting("data.size", reason));
    }
    if let Some(other) = settings.endings.iter().find(|e| !ENDINGS.contains(&e.as_str())) {
        let reason = format!("has \"{other}\", which is not read (known: {})", ENDINGS.join(", "));
        return Err(Error::setting("data.endings", reason));
    }
    if !settings.labels.is_empty() && !settings.pattern.is_empty() {
        let reason =
            "takes labels from file names, and `data.labels` from elsewhere; leave one out";
        return Err(Error::setting("data.pattern", reason));
    }
    let folder = Path::new(&settings.path);
    match folder.is_file() {
        true => {
            let reason = "is no folder; use the data set `arrays` for a NumPy file";
            Err(Error::format(folder, reason))
        }
        false => Ok(()),
    }
}

fn ending(file: &str) -> String {
    Path::new(file).extension().unwrap_or_default().to_ascii_lowercase().to_string_lossy().into()
}

fn is_picture(folder: &Path, file: &str, endings: &[String]) -> bool {
    endings.contains(&ending(file)) && folder.join(file).is_file()
}

fn labels_of(settings: &Settings, folder: &Path, files: &[String]) -> Result<Option<Labels>> {
    Ok(match (settings.labels.as_str(), settings.pattern.as_str()) {
        ("", "") => None,
        ("", pattern) => Some(pattern::labels(pattern, files)?),
        ("folders", _) => Some(labels::of_folders(folder, files)?),
        (table, _) => Some(labels::of_table(Path::new(table), folder, files)?),
    })
}

/// "7 files are no pictures that can be read: 5 .tif, 2 .txt".
fn left_alone(settings: &Settings, folder: &Path, others: &[String]) -> Option<String> {
    let labels = std::fs::canonicalize(&settings.labels).ok();
    let is_labels = |file: &&String| {
        labels.is_some() && std::fs::canonicalize(folder.join(file)).ok() == labels
    };
    let others: Vec<&String> = others.iter().filter(|file| !is_labels(file)).collect();
    (!others.is_empty()).then(|| {
        let (count, kinds) = (others.len(), kinds(&others));
        let (files, are) = if count == 1 { ("file", "is") } else { ("files", "are") };
        format!("{count} {files} of the folder {are} not read: {kinds}")
    })
}

/// "5 .tif, 2 .txt": how many files there are of each ending.
fn kinds(files: &[&String]) -> String {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *kinds.entry(ending(file)).or_default() += 1;
    }
    let kind = |(ending, count): (&String, &usize)| match ending.as_str() {
        "" => format!("{count} without an ending"),
        ending => format!("{count} .{ending}"),
    };
    kinds.iter().map(kind).collect::<Vec<_>>().join(", ")
}

fn no_pictures(folder: &Path, others: &[String], endings: &[String]) -> Error {
    let wanted = endings.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
    let others: Vec<&String> = others.iter().collect();
    let held = match others.is_empty() {
        true => "is it the right folder?".to_string(),
        false => format!("there are {}; convert them, or is it another folder?", kinds(&others)),
    };
    Error::format(folder, format!("holds no {wanted}; {held}"))
}

fn said_of(skipped: &[usize], files: &[String]) -> Option<String> {
    let named: Vec<&str> = skipped.iter().take(NAMED).map(|k| files[*k].as_str()).collect();
    let more = if skipped.len() > NAMED { ", ..." } else { "" };
    (!skipped.is_empty()).then(|| {
        let (count, named) = (skipped.len(), named.join(", "));
        format!("{count} of {} pictures cannot be read and are skipped: {named}{more}", files.len())
    })
}

/// All pictures as bytes, [rows, height, width, channels], and which of them are skipped.
fn decode_all(
    folder: &Path,
    files: &[String],
    settings: &Settings,
) -> Result<(Stored, Vec<usize>)> {
    let (skip, size) = (settings.corrupt == Corrupt::Skip, settings.size);
    // The first that can be read says what all must be.
    let mut first = None;
    for (k, file) in files.iter().enumerate() {
        match decode(folder, file) {
            Err(error) if !skip => return Err(error),
            Err(_) => {}
            Ok(picture) => {
                first = Some((k, picture));
                break;
            }
        }
    }
    let Some((first, picture)) = first else {
        let reason = format!("has {} pictures, of which none can be read", files.len());
        return Err(Error::format(folder, reason));
    };
    let first = &files[first];
    let channels = match settings.channels {
        0 if picture.color().has_color() => 3,
        0 => 1,
        asked => asked,
    };
    let picture = prepared(picture, channels, size, settings.fit);
    let (width, height) = (picture.width(), picture.height());
    let shape = [height as usize, width as usize, channels];

    let row = shape.iter().product();
    let mut bytes = vec![0; files.len() * row];
    // Whether a picture is there; the error that stops everything.
    let fill = |(row, file): (&mut [u8], &String)| -> Result<bool> {
        let picture = match decode(folder, file) {
            Err(_) if skip => return Ok(false),
            picture => prepared(picture?, channels, size, settings.fit),
        };
        let (other_width, other_height) = (picture.width(), picture.height());
        if (other_width, other_height) != (width, height) {
            let reason = format!(
                "holds pictures of different sizes: {first} has {width}x{height} pixels and {file} \
                 {other_width}x{other_height}; `data.size` makes them equal"
            );
            return Err(Error::format(folder, reason));
        }
        row.copy_from_slice(picture.as_bytes());
        Ok(true)
    };
    let filled: Vec<Result<bool>> = bytes.par_chunks_exact_mut(row).zip(files).map(fill).collect();
    // The first problem in order, so that two runs complain about the same picture.
    let there: Vec<bool> = filled.into_iter().collect::<Result<_>>()?;
    let skipped: Vec<usize> = (0..files.len()).filter(|k| !there[*k]).collect();
    let mut to = 0;
    for from in (0..files.len()).filter(|k| there[*k]) {
        bytes.copy_within(from * row..(from + 1) * row, to * row);
        to += 1;
    }
    bytes.truncate(to * row);
    Ok((Stored::bytes(bytes, shape, false), skipped))
}

/// More pixels on a side are no picture.
const LARGEST_SIDE: u32 = 1 << 16;

/// One picture of a folder.
pub(super) fn decode(folder: &Path, file: &str) -> Result<DynamicImage> {
    let path = folder.join(file);
    let io = |source: std::io::Error| Error::io("read", &path, &source);
    let reader = ImageReader::open(&path).map_err(io)?;
    decoded(reader, LARGEST_SIDE).map_err(|reason| Error::format(&path, reason))
}

fn prepared(picture: DynamicImage, channels: usize, size: u32, fit: Fit) -> DynamicImage {
    let picture = match channels {
        1 => DynamicImage::from(picture.into_luma8()),
        4 => DynamicImage::from(picture.into_rgba8()),
        _ => DynamicImage::from(picture.into_rgb8()),
    };
    match size {
        0 => picture,
        size => fitting::fitted(picture, size, fit),
    }
}

#[cfg(test)]
mod tests;
