//! `smallnorb`: photographs of toys on a turntable, from the six files of binary matrices.

use rayon::prelude::*;

use crate::data::Source;
use crate::data::storage::formats::lanczos;
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use matrix::Matrix;

mod matrix;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "smallnorb",
        title: "SmallNORB",
        summary: "photographs of 50 toys: kind, toy, camera, turntable, light; 48,600 of 64x64",
        paper: "LeCun et al., Learning Methods for Generic Object Recognition, 2004",
        page: "\
Fifty toys in uniform colour, photographed from nine heights, at eighteen turns of a turntable,
under six lights: 48,600 grey images, 1x64x64. Real photographs with known factors are rare.

| factor    | values | meaning                                                          |
| --------- | -----: | ---------------------------------------------------------------- |
| category  |      5 | 0 animal, 1 human, 2 plane, 3 truck, 4 car                       |
| instance  |     10 | which toy of its category; not the same toy across categories    |
| elevation |      9 | of the camera: 0 is 30 degrees, 8 is 70                          |
| azimuth   |     18 | of the turntable, in steps of 20 degrees                         |
| lighting  |      6 | which lights are on                                              |

`unbraid data import smallnorb --from DIRECTORY` takes the six published files, packed (.mat.gz) or
not. Every toy was photographed by two cameras; as in disentanglement_lib only the first is taken,
and images are made 64x64 from 96x96 with Lanczos.

Settings:
- part: all (train, then test, as in disentanglement_lib), train or test.

Good to know:
- The toys of train and test differ: instances 4, 6, 7, 8, 9 and 0, 1, 2, 3, 5. Each part has every
  combination once, in mixed order.
- disentanglement_lib takes the instance for noise: four factors, the toy drawn at random. Here it
  is a factor; `--set 'data.variant.hide=[\"instance\"]'` hides it.

For research; it must not be sold. Cite: Yann LeCun, Fu Jie Huang, Léon Bottou, Learning Methods for
Generic Object Recognition with Invariance to Pose and Lighting, CVPR 2004.",
    },
    open: |given| library::open("smallnorb", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

static PUBLICATION: Publication = Publication {
    licence: "for research, not for sale",
    citation: "Yann LeCun, Fu Jie Huang, Léon Bottou, Learning Methods for Generic Object \
               Recognition with Invariance to Pose and Lighting, CVPR 2004",
    parts: &["all", "train", "test"],
    files: &[
        PublishedFile {
            name: "smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat.gz",
            bytes: 131_896_188,
            checksum: Checksum::Sha256(
                "5ffd6272a07d32695ee1082a26a41a93a37aab8c28da047f8c34ed348d214873",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat.gz",
        },
        PublishedFile {
            name: "smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat.gz",
            bytes: 348,
            checksum: Checksum::Sha256(
                "2784e542c1922060691090952b6cd6278879a216c90f81476f0f00256d42cdaa",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat.gz",
        },
        PublishedFile {
            name: "smallnorb-5x46789x9x18x6x2x96x96-training-info.mat.gz",
            bytes: 71_052,
            checksum: Checksum::Sha256(
                "de7eb932ebe7a4ee16217fead60660d0eb3d23632c2f4d1c51f88c501c17bf32",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x46789x9x18x6x2x96x96-training-info.mat.gz",
        },
        PublishedFile {
            name: "smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat.gz",
            bytes: 130_799_817,
            checksum: Checksum::Sha256(
                "cf7104eed3e51174d2f65b66d1e5878b9da233b886f161b0d88f4510ba2c7474",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat.gz",
        },
        PublishedFile {
            name: "smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat.gz",
            bytes: 347,
            checksum: Checksum::Sha256(
                "ecaf6d5bb8c3bc5eab9cf0258f6d2198dd474e016e374836fc097f2e5ff509ff",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat.gz",
        },
        PublishedFile {
            name: "smallnorb-5x01235x9x18x6x2x96x96-testing-info.mat.gz",
            bytes: 10_428,
            checksum: Checksum::Sha256(
                "16adf314226327ee006d1a44db8cfef52773c06c829951d5653a9f6f310248a2",
            ),
            address: "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small/\
                      smallnorb-5x01235x9x18x6x2x96x96-testing-info.mat.gz",
        },
    ],
    import,
};

const STORED: usize = 96;
const SIDE: usize = 64;
/// How many images are held at once while all threads resize them.
const BATCH: usize = 256;
/// Name, and how many values it takes.
const FACTORS: [(&str, usize); 5] =
    [("category", 5), ("instance", 10), ("elevation", 9), ("azimuth", 18), ("lighting", 6)];

fn import(import: &mut Import) -> Result<()> {
    let factors = FACTORS.map(|(name, size)| Factor::discrete(name, (0..size).map(|k| k as f32)));
    let mut all = import.part("all", [SIDE, SIDE, 1], false, factors.to_vec())?;
    for (part, prefix) in [
        ("train", "smallnorb-5x46789x9x18x6x2x96x96-training"),
        ("test", "smallnorb-5x01235x9x18x6x2x96x96-testing"),
    ] {
        let mut open = |kind: &str| import.file(&format!("{prefix}-{kind}.mat.gz"));
        let [images, categories, infos] = [open("dat")?, open("cat")?, open("info")?];
        let mut images = Matrix::bytes(&images)?;
        let mut categories = Matrix::integers(&categories)?;
        let mut infos = Matrix::integers(&infos)?;
        let rows = images.shape[0];
        images.expect(&[rows, 2, STORED, STORED])?;
        categories.expect(&[rows])?;
        infos.expect(&[rows, 4])?;

        let first = all.rows();
        let mut batch = Vec::new();
        for start in (0..rows).step_by(BATCH) {
            let count = BATCH.min(rows - start);
            batch.resize(count * 2 * STORED * STORED, 0);
            images.bytes.fill(&mut batch)?;
            let resize =
                |pair: &[u8]| lanczos::resize(&pair[..STORED * STORED], [STORED, STORED, 1], SIDE);
            let resized: Vec<_> = batch.par_chunks(2 * STORED * STORED).map(resize).collect();
            for (k, image) in resized.iter().enumerate() {
                all.row(image, &values(start + k, &mut categories, &mut infos)?)?;
                import.row_done(start + k, rows, 0.5)?;
            }
        }
        for matrix in [images, categories, infos] {
            matrix.end()?;
        }
        all.range(part, first..all.rows());
    }
    all.finish()
}

/// The values of the next row, in the order of [`FACTORS`].
fn values(row: usize, categories: &mut Matrix, infos: &mut Matrix) -> Result<[f32; 5]> {
    let mut values = [0.0; 5];
    for (k, (name, size)) in FACTORS.iter().enumerate() {
        let matrix = if k == 0 { &mut *categories } else { &mut *infos };
        let number = matrix.integer()?;
        // Azimuths were stored as 0, 2, ... 34.
        let step = if *name == "azimuth" { 2 } else { 1 };
        if number % step != 0 || !(0..*size as i32).contains(&(number / step)) {
            let last = (*size as i32 - 1) * step;
            let reason = format!("has the {name} {number} in row {row}, expected 0 to {last}");
            return Err(matrix.bytes.refuse(reason));
        }
        values[k] = (number / step) as f32;
    }
    Ok(values)
}
