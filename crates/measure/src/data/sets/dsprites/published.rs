//! The published files of dSprites: NumPy's npz, or HDF5 with the same arrays.

use super::SIDE;
use crate::data::storage::formats::rows::{self, Expected};
use crate::data::storage::library::{Checksum, Import, Publication, PublishedFile};
use crate::error::Result;
use crate::factors::Factor;

const NPZ: &str = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz";
const HDF5: &str = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5";

pub(super) static PUBLICATION: Publication = Publication {
    licence: "Apache-2.0",
    citation: "Loic Matthey, Irina Higgins, Demis Hassabis, Alexander Lerchner, dSprites: \
               Disentanglement testing Sprites dataset, 2017",
    parts: &["all"],
    files: &[
        PublishedFile {
            name: NPZ,
            bytes: 0,
            checksum: Checksum::GitBlob("d98996d3f8ee1550e06b9d4ed78d0beb478910d5"),
            address: "https://github.com/google-deepmind/dsprites-dataset/raw/master/\
                      dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz",
        },
        PublishedFile {
            name: HDF5,
            bytes: 28_024_106,
            checksum: Checksum::Sha256(
                "729fa22e884c9c500e1f17415d580746b4c5894fbbb780a1319bbcfa39a745bb",
            ),
            address: "",
        },
    ],
    import,
};

/// How many images there are, at most.
const ROWS: usize = 737_280;
const FACTORS: [&str; 5] = ["shape", "scale", "orientation", "posX", "posY"];

fn import(import: &mut Import) -> Result<()> {
    let path = import.one_of(&[NPZ, HDF5])?;
    let factors = FACTORS.iter().map(|name| Factor::discrete(*name, [])).collect();
    let mut part = import.part("all", [SIDE, SIDE, 1], true, factors)?;
    // The column that may come first is the colour, which is always white.
    let expected =
        Expected { most: ROWS, size: [SIDE, SIDE, 1], factors: FACTORS.len(), dropped: 1 };
    match path.extension().is_some_and(|ending| ending == "npz") {
        true => rows::from_npz(import, &path, ["imgs", "latents_values"], expected, &mut part)?,
        false => rows::from_hdf5(import, &path, ["imgs", "latents/values"], expected, &mut part)?,
    }
    part.finish()
}
