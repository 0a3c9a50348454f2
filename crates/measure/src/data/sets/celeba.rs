//! `celeba`: faces of celebrities with forty attributes, from the archive of aligned pictures and
//! the text files beside it.

use std::collections::HashMap;
use std::path::Path;

use crate::data::Source;
use crate::data::storage::formats::pictures::{self, Pictures};
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;

mod lists;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "celeba",
        title: "CelebA",
        summary: "faces of celebrities with forty yes-or-no attributes; 202,599 of 64x64",
        paper: "Liu et al., Deep Learning Face Attributes in the Wild, 2015",
        page: "\
Faces of celebrities, photographed anywhere and turned so that the eyes are at the same place:
202,599 pictures, 3x64x64. People looked at each and answered forty questions.

| factor                                    | values | meaning               |
| ----------------------------------------- | -----: | --------------------- |
| 5_o_Clock_Shadow, Arched_Eyebrows, ...    |      2 | 1 yes, -1 no          |
| Smiling, ... Wearing_Necktie, Young       |        | (40 in all)           |

`unbraid data import celeba --from DIRECTORY` takes img_align_celeba.zip, or a folder
img_align_celeba of the same pictures, with list_attr_celeba.txt and list_eval_partition.txt beside
it. Of each picture the square of 148 pixels in the middle is taken and made 64x64 with Lanczos.

Settings:
- part: all (train, then validation, then test), train, validation or test: 162,770, 19,867 and
  19,962 pictures. Without list_eval_partition.txt there is only all.

Good to know:
- The attributes are opinions, many depend on each other (beards and gender), and they leave most of
  a picture unsaid. Scores of disentanglement on them say little.
- Others resize the whole 178x218 picture to 64x64 instead, which makes faces wide.

For research that is not commercial; the pictures must not be passed on. Cite: Ziwei Liu, Ping Luo,
Xiaogang Wang, Xiaoou Tang, Deep Learning Face Attributes in the Wild, ICCV 2015.",
    },
    open: |given| library::open("celeba", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

// The one public place is Google Drive, whose addresses ask for a click.
static PUBLICATION: Publication = Publication {
    licence: "for non-commercial research, no redistribution",
    citation: "Ziwei Liu, Ping Luo, Xiaogang Wang, Xiaoou Tang, Deep Learning Face Attributes in \
               the Wild, ICCV 2015",
    parts: &["all", "train", "validation", "test"],
    files: &[
        PublishedFile {
            name: "img_align_celeba.zip",
            bytes: 1_443_490_838,
            checksum: Checksum::Sha256(
                "46fb89443c578308acf364d7d379fe1b9efb793042c0af734b6112e4fd3a8c74",
            ),
            address: "",
        },
        PublishedFile {
            name: "list_attr_celeba.txt",
            bytes: 26_721_026,
            checksum: Checksum::Sha256(
                "f0e5da289d5ccf75ffe8811132694922b60f2af59256ed362afa03fefba324d0",
            ),
            address: "",
        },
        PublishedFile {
            name: "list_eval_partition.txt",
            bytes: 2_836_386,
            checksum: Checksum::Sha256(
                "fc955bcb3ef8fbdf7d5640d9a8693a8431b5f2ee291a5c1449a1549e7e073fe7",
            ),
            address: "",
        },
    ],
    import,
};

const SIDE: usize = 64;
/// The square that is taken from the middle.
const FACE: u32 = 148;

fn import(import: &mut Import) -> Result<()> {
    let attributes = lists::attributes(&import.file("list_attr_celeba.txt")?)?;
    let partition = match import.find("list_eval_partition.txt")? {
        Some(path) => Some(lists::partition(&path, &attributes)?),
        None => None,
    };
    let place = match import.find("img_align_celeba.zip")? {
        Some(archive) => archive,
        None => {
            import.folder("img_align_celeba").ok_or_else(|| import.lacks("img_align_celeba.zip"))?
        }
    };
    let mut pictures = Pictures::open(&place)?;
    let paths = paths(&place, &pictures, &attributes.pictures)?;

    // Train, validation, test: each is a range of all. So it is in the published list anyway.
    let rows = attributes.pictures.len();
    let mut order: Vec<usize> = (0..rows).collect();
    if let Some(partition) = &partition {
        order.sort_by_key(|&row| partition[row]);
    }
    let names = attributes.names.iter();
    let factors = names.map(|name| Factor::discrete(name, [-1.0, 1.0])).collect();
    let mut part = import.part("all", [SIDE, SIDE, 3], false, factors)?;
    let in_order: Vec<String> = order.iter().map(|&row| paths[row].clone()).collect();
    let face = |picture| pictures::middle(picture, FACE, SIDE);
    pictures.each(&in_order, face, |row, image| {
        part.row(image, attributes.row(order[row]))?;
        import.row_done(row, rows, 1.0)
    })?;
    let mut first = 0;
    for (number, name) in ["train", "validation", "test"].into_iter().enumerate() {
        let Some(partition) = &partition else { break };
        let count = partition.iter().filter(|part| usize::from(**part) == number).count();
        part.range(name, first..first + count);
        first += count;
    }
    part.finish()
}

/// Where each picture of the list is.
fn paths(place: &Path, pictures: &Pictures, listed: &[String]) -> Result<Vec<String>> {
    let names = pictures.names(&["jpg"])?;
    if names.len() != listed.len() {
        let reason = format!(
            "holds {} pictures, but list_attr_celeba.txt has {}",
            names.len(),
            listed.len()
        );
        return Err(Error::format(place, reason));
    }
    let last = |path: &String| path.rsplit('/').next().unwrap_or_default().to_string();
    let paths: HashMap<String, String> =
        names.into_iter().map(|path| (last(&path), path)).collect();
    let path = |name: &String| {
        let missing = || Error::format(place, format!("holds no {name}, which the list names"));
        paths.get(name).cloned().ok_or_else(missing)
    };
    listed.iter().map(path).collect()
}

#[cfg(test)]
mod tests;
