//! `images`: your own pictures, from a folder of PNG and JPEG files, with labels from a CSV.

use std::path::Path;

use image::{DynamicImage, ImageReader, imageops::FilterType};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::storage::formats::pictures::list;
use crate::data::storage::stored::Stored;
use crate::data::{Opened, Source};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::settings;

mod labels;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "images",
        title: "Images",
        summary: "your own pictures from a folder of PNG and JPEG files",
        paper: "",
        page: "\
Your own pictures: every .png, .jpg and .jpeg in a folder and the folders within it, in the order of
their paths. Names that begin with a dot are left out. All are read at the start and held in memory
as bytes, and handed out as numbers from 0 to 1.

Labels come from a CSV file. Its first line names the columns; the first column is the path of the
picture within the folder, the others are the factors:

```csv
file,size,kind
red/a.png,0.5,cup
red/b.png,0.7,plate
```

Every picture needs one row. A column of numbers is a factor of these numbers; a column of words is
a factor whose values 0, 1, 2, ... are the words in alphabetical order. Whole numbers and words are
discrete; other numbers are discrete if they repeat.

Settings:
- path: the folder.
- labels: the CSV file, or \"\" for none. Without labels you can train, but not score against factors.
- size: make every picture this many pixels high and wide (Lanczos); 0 keeps them as they are, and
  then all must be equal.
- channels: 1 for grey, 3 for colour, 4 for colour with transparency; 0 takes grey or colour from
  the first picture. Transparency is dropped unless it is asked for.",
    },
    open,
    publication: None,
};

/// The largest side pictures are resized to.
const LARGEST: u32 = 4096;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Settings {
    path: String,
    labels: String,
    size: u32,
    channels: usize,
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
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
    let folder = Path::new(&settings.path);
    if folder.is_file() {
        let reason = "is no folder; use the data set `arrays` for a NumPy file";
        return Err(Error::format(folder, reason));
    }
    let mut files = Vec::new();
    list(folder, "", &mut files)?;
    files.retain(|file| is_picture(&folder.join(file)));
    files.sort();
    let mut data = decode_all(folder, &files, &settings)?;
    if !settings.labels.is_empty() {
        let labels = labels::read(Path::new(&settings.labels), &files)?;
        data = data.with_values(&labels.names, labels.values, &labels.whole);
    }
    Ok((Box::new(data), settings::to_table(&settings)))
}

fn is_picture(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    matches!(extension.to_str(), Some("png" | "jpg" | "jpeg")) && path.is_file()
}

/// All pictures as bytes, [rows, height, width, channels].
fn decode_all(folder: &Path, files: &[String], settings: &Settings) -> Result<Stored> {
    let Some(first) = files.first() else {
        return Err(Error::format(folder, "holds no .png, .jpg or .jpeg; is it the right folder?"));
    };
    let picture = decode(folder, first)?;
    let channels = match settings.channels {
        0 if picture.color().has_color() => 3,
        0 => 1,
        asked => asked,
    };
    let picture = prepared(picture, channels, settings.size);
    let (width, height) = (picture.width(), picture.height());
    let size = [height as usize, width as usize, channels];

    let mut bytes = vec![0; files.len() * size.iter().product::<usize>()];
    let rows = bytes.par_chunks_exact_mut(size.iter().product()).zip(files);
    let fill = |(row, file): (&mut [u8], &String)| -> Result<()> {
        let picture = prepared(decode(folder, file)?, channels, settings.size);
        let (other_width, other_height) = (picture.width(), picture.height());
        if (other_width, other_height) != (width, height) {
            let reason = format!(
                "holds pictures of different sizes: {first} has {width}x{height} pixels and {file} \
                 {other_width}x{other_height}; `data.size` makes them equal"
            );
            return Err(Error::format(folder, reason));
        }
        row.copy_from_slice(picture.as_bytes());
        Ok(())
    };
    // The first problem in order, so that two runs complain about the same picture.
    match rows.find_map_first(|row| fill(row).err()) {
        Some(error) => Err(error),
        None => Ok(Stored::bytes(bytes, size, false)),
    }
}

/// One picture of a folder.
pub(super) fn decode(folder: &Path, file: &str) -> Result<DynamicImage> {
    let path = folder.join(file);
    let io = |source: std::io::Error| Error::io("read", &path, &source);
    // By its content: some files carry the ending of another format.
    let reader = ImageReader::open(&path).map_err(io)?.with_guessed_format().map_err(io)?;
    reader.decode().map_err(|source| {
        Error::format(&path, format!("cannot be decoded ({source}); is it truncated?"))
    })
}

fn prepared(picture: DynamicImage, channels: usize, size: u32) -> DynamicImage {
    let picture = match channels {
        1 => DynamicImage::from(picture.into_luma8()),
        4 => DynamicImage::from(picture.into_rgba8()),
        _ => DynamicImage::from(picture.into_rgb8()),
    };
    match size {
        0 => picture,
        size => picture.resize_exact(size, size, FilterType::Lanczos3),
    }
}

#[cfg(test)]
mod tests;
