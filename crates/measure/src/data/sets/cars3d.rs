//! `cars3d`: 183 cars from 96 sides, from the MATLAB files of Reed's visual analogies.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use crate::data::Source;
use crate::data::storage::formats::{lanczos, mat};
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use objects::Objects;

mod objects;
mod sheets;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "cars3d",
        title: "Cars3D",
        summary: "183 cars, turned and seen from four heights; 17,568 of 64x64 or 128x128",
        paper: "Reed et al., Deep Visual Analogy-Making, 2015",
        page: "\
Renderings of 183 models of cars on white, from 24 sides and four heights: 17,568 images, 3x64x64,
every combination once.

| factor    | values | meaning                                                         |
| --------- | -----: | --------------------------------------------------------------- |
| elevation |      4 | of the camera                                                   |
| azimuth   |     24 | around the car                                                  |
| object    |    183 | which car                                                       |

`unbraid data import cars3d --from FILE_OR_DIRECTORY` takes nips2015-analogy-data.tar.gz, or the
directory it unpacks to, or its folder data/cars. It takes 1.1 GB of disk. A folder of sheets will
do too: for each car a picture car_001.webp (or .png) of 1536x256, with a column of 64 pixels for
each azimuth and a row for each elevation. Then there is no part `full`.

Settings:
- part: all, images made 64x64 with Lanczos; or full, 3x128x128 as published. Rows are the same.

Good to know:
- Rows are in the order of disentanglement_lib: object changes fastest.
- The number of a car is its place in list.txt, as in disent, or without that file its place in the
  alphabetical list of names. disentanglement_lib takes the cars as the file system lists them, so
  its numbers differ from machine to machine.
- 183 of the values belong to one factor, and cars differ in colour as well as in form: there is
  more to an image than these factors say.
- Some cars are there twice: objects 30 and 113, and 154 and 157, are the same from all sides.
- The images of disent at 64x64 are bilinear and differ a little. Saved as arrays, `images` and
  `factors` in one .npz, they are read as `arrays`.

No licence is stated. Cite: Scott Reed, Yi Zhang, Yuting Zhang, Honglak Lee, Deep Visual
Analogy-Making, NIPS 2015.",
    },
    open: |given| library::open("cars3d", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

const ARCHIVE: &str = "nips2015-analogy-data.tar.gz";

static PUBLICATION: Publication = Publication {
    licence: "not stated",
    citation: "Scott Reed, Yi Zhang, Yuting Zhang, Honglak Lee, Deep Visual Analogy-Making, \
               NIPS 2015",
    parts: &["all", "full"],
    files: &[PublishedFile {
        name: ARCHIVE,
        bytes: 0,
        checksum: Checksum::Md5("4e866a7919c1beedf53964e6f7a23686"),
        address: "http://www.scottreed.info/files/nips2015-analogy-data.tar.gz",
    }],
    import,
};

const STORED: usize = 128;
const SIDE: usize = 64;
const AZIMUTHS: usize = 24;
const ELEVATIONS: usize = 4;
/// The axes of an image in the two parts, and the bytes of a published one.
const SMALL: [usize; 3] = [SIDE, SIDE, 3];
const FULL: [usize; 3] = [STORED, STORED, 3];
const BYTES: usize = STORED * STORED * 3;

fn import(import: &mut Import) -> Result<()> {
    let from = import.folder("x64").unwrap_or_else(|| import.from().to_path_buf());
    let found = sheets::find(&from);
    if !found.is_empty() {
        return sheets::import(import, &found);
    }
    let objects = match find_folder(import) {
        Some(folder) => Objects::in_folder(&folder, views)?,
        None => Objects::in_archive(&import.file(ARCHIVE)?, views)?,
    };
    let cars = objects.in_order()?;
    let factors = factors(cars.len());
    let mut small = import.part("all", SMALL, false, factors.clone())?;
    let mut full = import.part("full", FULL, false, factors)?;
    for elevation in 0..ELEVATIONS {
        for azimuth in 0..AZIMUTHS {
            let view = elevation * AZIMUTHS + azimuth;
            let both = |car: &Vec<Vec<u8>>| {
                let image = unpacked(&car[view]);
                (lanczos::resize(&image, FULL, SIDE), image)
            };
            let images: Vec<_> = cars.par_iter().map(both).collect();
            for (object, (reduced, image)) in images.iter().enumerate() {
                let values = [elevation as f32, azimuth as f32, object as f32];
                small.row(reduced, &values)?;
                full.row(image, &values)?;
            }
            import.advance(1.0 / (ELEVATIONS * AZIMUTHS) as f64)?;
        }
    }
    small.finish()?;
    full.finish()
}

fn factors(cars: usize) -> Vec<Factor> {
    let numbers = |size: usize| (0..size).map(|k| k as f32);
    vec![
        Factor::discrete("elevation", numbers(ELEVATIONS)),
        Factor::discrete("azimuth", numbers(AZIMUTHS)),
        Factor::discrete("object", numbers(cars)),
    ]
}

fn find_folder(import: &mut Import) -> Option<std::path::PathBuf> {
    ["data/cars", "cars"].into_iter().find_map(|name| import.folder(name))
}

/// The views of one car, elevation by elevation, each `[128, 128, 3]` and packed: rows are written with
/// the car changing fastest, so all cars are held until then.
fn views(path: &Path, name: &str, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let refuse = |reason: String| Error::format(path, format!("{name} {reason}"));
    let shape = [STORED, STORED, 3, AZIMUTHS, ELEVATIONS];
    let stored = mat::bytes(bytes, "im", &shape).map_err(refuse)?;
    // MATLAB's first axis is the fastest: within a view lie the channels, within those the columns.
    let view = |view: &[u8]| {
        let mut image = vec![0; view.len()];
        for (place, byte) in view.iter().enumerate() {
            let (row, column) = (place % STORED, place / STORED % STORED);
            image[(row * STORED + column) * 3 + place / (STORED * STORED)] = *byte;
        }
        packed(&image)
    };
    Ok(stored.par_chunks_exact(BYTES).map(view).collect())
}

fn packed(image: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(image).and_then(|()| encoder.finish());
    written.expect("memory takes what is written")
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut image = Vec::with_capacity(BYTES);
    let read = ZlibDecoder::new(packed).read_to_end(&mut image);
    read.expect("it was packed here");
    image
}

#[cfg(test)]
mod tests;
