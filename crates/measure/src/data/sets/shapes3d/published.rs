//! The published files of 3D Shapes: HDF5, or the npz that disentanglement_lib reads.

use crate::data::storage::formats::rows::{self, Expected};
use crate::data::storage::library::{Checksum, Import, Publication, PublishedFile};
use crate::error::Result;
use crate::factors::Factor;

const HDF5: &str = "3dshapes.h5";
/// Six axes of factors instead of one of rows; never published, but built by many.
const NPZ: &str = "look-at-object-room_floor-hueXwall-hueXobj-hueXobj-sizeXobj-shapeXview-azi.npz";

pub(super) static PUBLICATION: Publication = Publication {
    licence: "Apache-2.0",
    citation: "Chris Burgess, Hyunjik Kim, 3D Shapes Dataset, 2018",
    parts: &["all"],
    files: &[
        PublishedFile {
            name: HDF5,
            bytes: 267_573_662,
            checksum: Checksum::Sha256(
                "0a0f6ed98baff276a50f3a081a7434d788da63cb135a98189b2a5b5769be1785",
            ),
            address: "https://storage.googleapis.com/3d-shapes/3dshapes.h5",
        },
        PublishedFile { name: NPZ, bytes: 0, checksum: Checksum::Unknown, address: "" },
    ],
    import,
};

/// How many images there are, at most.
const ROWS: usize = 480_000;
const SIZE: [usize; 3] = [64, 64, 3];
const FACTORS: [&str; 6] = ["floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"];

fn import(import: &mut Import) -> Result<()> {
    let path = import.one_of(&[HDF5, NPZ])?;
    let factors = FACTORS.iter().map(|name| Factor::discrete(*name, [])).collect();
    let mut part = import.part("all", SIZE, false, factors)?;
    let expected = Expected { most: ROWS, size: SIZE, factors: FACTORS.len(), dropped: 0 };
    match path.extension().is_some_and(|ending| ending == "npz") {
        true => rows::from_npz(import, &path, ["images", "labels"], expected, &mut part)?,
        false => rows::from_hdf5(import, &path, ["images", "labels"], expected, &mut part)?,
    }
    part.finish()
}

#[cfg(test)]
mod tests;
