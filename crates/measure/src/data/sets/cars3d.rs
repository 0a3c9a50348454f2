//! `cars3d`: 183 cars from 96 sides, from the MATLAB files of Reed's visual analogies.

use std::path::Path;

use rayon::prelude::*;

use crate::data::Source;
use crate::data::storage::formats::{lanczos, mat};
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use objects::Objects;

mod objects;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "cars3d",
        title: "Cars3D",
        summary: "183 cars, turned and seen from four heights; 17,568 of 64x64",
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
directory it unpacks to, or its folder data/cars. Images are made 64x64 from 128x128 with Lanczos.
While it is imported, 216 MB are held in memory.

Settings:
- part: all.

Good to know:
- Rows are in the order of disentanglement_lib: object changes fastest.
- The number of a car is its place in list.txt, as in disent, or without that file its place in the
  alphabetical list of names. disentanglement_lib takes the cars as the file system lists them, so
  its numbers differ from machine to machine.
- 183 of the values belong to one factor, and cars differ in colour as well as in form: there is
  more to an image than these factors say.

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
    parts: &["all"],
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
/// Bytes of an image in the library.
const IMAGE: usize = SIDE * SIDE * 3;

fn import(import: &mut Import) -> Result<()> {
    let objects = match find_folder(import) {
        Some(folder) => Objects::in_folder(&folder, images)?,
        None => Objects::in_archive(&import.file(ARCHIVE)?, images)?,
    };
    let cars = objects.in_order()?;
    let numbers = |size: usize| (0..size).map(|k| k as f32);
    let factors = vec![
        Factor::discrete("elevation", numbers(ELEVATIONS)),
        Factor::discrete("azimuth", numbers(AZIMUTHS)),
        Factor::discrete("object", numbers(cars.len())),
    ];
    let mut part = import.part("all", [SIDE, SIDE, 3], false, factors)?;
    for elevation in 0..ELEVATIONS {
        for azimuth in 0..AZIMUTHS {
            let view = elevation * AZIMUTHS + azimuth;
            for (object, images) in cars.iter().enumerate() {
                let image = &images[view * IMAGE..(view + 1) * IMAGE];
                part.row(image, &[elevation as f32, azimuth as f32, object as f32])?;
            }
            import.advance(1.0 / (ELEVATIONS * AZIMUTHS) as f64)?;
        }
    }
    part.finish()
}

fn find_folder(import: &mut Import) -> Option<std::path::PathBuf> {
    ["data/cars", "cars"].into_iter().find_map(|name| import.folder(name))
}

/// The images of one car, [elevation, azimuth, height, width, 3], at 64x64.
fn images(path: &Path, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let refuse = |reason: String| Error::format(path, format!("{name} {reason}"));
    let shape = [STORED, STORED, 3, AZIMUTHS, ELEVATIONS];
    let stored = mat::bytes(bytes, "im", &shape).map_err(refuse)?;
    // MATLAB's first axis is the fastest: within a view lie the channels, within those the columns.
    let view = STORED * STORED * 3;
    let views: Vec<Vec<u8>> = stored
        .par_chunks_exact(view)
        .map(|view| {
            let mut image = vec![0; view.len()];
            for (place, byte) in view.iter().enumerate() {
                let (row, column) = (place % STORED, place / STORED % STORED);
                image[(row * STORED + column) * 3 + place / (STORED * STORED)] = *byte;
            }
            lanczos::resize(&image, [STORED, STORED, 3], SIDE)
        })
        .collect();
    Ok(views.concat())
}

#[cfg(test)]
mod tests;
