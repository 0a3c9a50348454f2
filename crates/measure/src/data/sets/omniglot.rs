//! `omniglot`: handwritten characters of fifty alphabets, from the published pictures or from an npz
//! of all of them at 28x28.

use std::path::Path;

use crate::data::Source;
use crate::data::storage::formats::lanczos;
use crate::data::storage::formats::pictures::Pictures;
use crate::data::storage::library::{
    self, Checksum, Import, PartWriter, Publication, PublishedFile,
};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;

mod arrays;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "omniglot",
        title: "Omniglot",
        summary: "handwritten characters of fifty alphabets by twenty drawers, 32,460 of 28x28",
        paper: "Lake et al., Human-level concept learning through probabilistic program induction, \
                2015",
        page: "\
1,623 characters of fifty alphabets, real ones and invented ones, each drawn once by twenty people:
32,460 images, 1x28x28, white ink on black.

| factor    | values   | meaning                                                         |
| --------- | -------: | --------------------------------------------------------------- |
| alphabet  |       50 | in alphabetical order, from 0                                   |
| character | up to 55 | number within its alphabet, from 1                              |
| drawer    |       20 | 1 to 20; the same number may be another person in another       |
|           |          | alphabet                                                        |

`unbraid data import omniglot --from DIRECTORY` takes images_background.zip and
images_evaluation.zip, or the folders they unpack to, or one of the two. The pictures have 105x105
pixels, black on white; they are turned to ink on nothing and made 28x28 with Lanczos, which gives
greys. An .npz of 28x28 images with the arrays imgs (255 is paper), alphabet, character, drawer and
alphabet_names is taken as well.

Settings:
- part: all (background, then evaluation), background (30 alphabets, 964 characters) or evaluation
  (20 alphabets, 659 characters).

Good to know: characters are not a grid. Character 3 of one alphabet has nothing to do with
character 3 of another, and alphabets have from 14 to 55 of them. Papers on likelihoods use another
28x28 version (Burda's chardata.mat), with another split.

Published under the MIT licence. Cite: Brenden M. Lake, Ruslan Salakhutdinov, Joshua B. Tenenbaum,
Human-level concept learning through probabilistic program induction, Science, 2015.",
    },
    open: |given| library::open("omniglot", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

static PUBLICATION: Publication = Publication {
    licence: "MIT",
    citation: "Brenden M. Lake, Ruslan Salakhutdinov, Joshua B. Tenenbaum, Human-level concept \
               learning through probabilistic program induction, Science, 2015",
    parts: &["all", "background", "evaluation"],
    files: &[
        PublishedFile {
            name: "images_background.zip",
            bytes: 0,
            checksum: Checksum::Md5("68d2efa1b9178cc56df9314c21c6e718"),
            address: "https://github.com/brendenlake/omniglot/raw/master/python/\
                      images_background.zip",
        },
        PublishedFile {
            name: "images_evaluation.zip",
            bytes: 0,
            checksum: Checksum::Md5("6b91aef0f799c5bb55b94e3f2daec811"),
            address: "https://github.com/brendenlake/omniglot/raw/master/python/\
                      images_evaluation.zip",
        },
    ],
    import,
};

const SIDE: usize = 28;
const PARTS: [&str; 2] = ["background", "evaluation"];

fn import(import: &mut Import) -> Result<()> {
    if let Some(path) = arrays::find(import)? {
        return arrays::convert(import, &path);
    }
    let mut halves = Vec::new();
    for part in PARTS {
        let place = match import.find(&format!("images_{part}.zip"))? {
            Some(archive) => Some(archive),
            None => import.folder(&format!("images_{part}")),
        };
        if let Some(place) = place {
            let pictures = Pictures::open(&place)?;
            let mut drawings = drawings(&place, &pictures)?;
            drawings.sort();
            halves.push((part, pictures, drawings));
        }
    }
    if halves.is_empty() {
        return Err(import.lacks("images_background.zip"));
    }
    // Numbers of alphabets run over both halves.
    let mut alphabets: Vec<&str> =
        halves.iter().flat_map(|half| half.2.iter().map(|d| d.alphabet.as_str())).collect();
    alphabets.sort_unstable();
    alphabets.dedup();
    let alphabets: Vec<String> = alphabets.into_iter().map(String::from).collect();
    let number = |name: &String| alphabets.binary_search(name).unwrap_or_default() as f32;

    let mut all = part(import)?;
    let share = 1.0 / halves.len() as f64;
    for (part, mut pictures, drawings) in halves {
        let first = all.rows();
        let paths: Vec<String> = drawings.iter().map(|drawing| drawing.path.clone()).collect();
        pictures.each(&paths, ink, |row, image| {
            let Drawing { alphabet, character, drawer, .. } = &drawings[row];
            all.row(image, &[number(alphabet), f32::from(*character), f32::from(*drawer)])?;
            import.row_done(row, drawings.len(), share)
        })?;
        all.range(part, first..all.rows());
    }
    all.finish()
}

fn part(import: &Import) -> Result<PartWriter> {
    let factors = ["alphabet", "character", "drawer"].map(|name| Factor::discrete(name, []));
    import.part("all", [SIDE, SIDE, 1], false, factors.to_vec())
}

/// Black on white turned to white on black, at 28x28.
fn ink(picture: image::DynamicImage) -> Vec<u8> {
    let mut picture = picture.into_luma8();
    image::imageops::invert(&mut picture);
    let size = [picture.height() as usize, picture.width() as usize, 1];
    match size {
        [SIDE, SIDE, 1] => picture.into_raw(),
        _ => lanczos::resize(picture.as_raw(), size, SIDE),
    }
}

/// A picture and what its path says of it. The fields are in the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Drawing {
    alphabet: String,
    character: u16,
    drawer: u16,
    path: String,
}

impl Drawing {
    /// `images_background/Greek/character07/0394_12.png`.
    fn parse(path: &str) -> Option<Self> {
        let mut parts = path.rsplit('/');
        let (file, character, alphabet) = (parts.next()?, parts.next()?, parts.next()?);
        let (_, drawer) = file.strip_suffix(".png")?.rsplit_once('_')?;
        Some(Self {
            alphabet: alphabet.to_string(),
            character: character.strip_prefix("character")?.parse().ok()?,
            drawer: drawer.parse().ok()?,
            path: path.to_string(),
        })
    }
}

fn drawings(place: &Path, pictures: &Pictures) -> Result<Vec<Drawing>> {
    let drawing = |path: &String| {
        Drawing::parse(path).ok_or_else(|| {
            let reason = format!("holds {path}, expected ALPHABET/characterNN/NNNN_NN.png");
            Error::format(place, reason)
        })
    };
    let names = pictures.names(&["png"])?;
    match names.is_empty() {
        true => Err(Error::format(place, "holds no .png; is it the right place?")),
        false => names.iter().map(drawing).collect(),
    }
}

#[cfg(test)]
mod tests;
