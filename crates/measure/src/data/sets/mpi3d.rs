//! `mpi3d-toy`, `mpi3d-realistic`, `mpi3d-real`, `mpi3d-complex`: a robot arm that holds an object,
//! drawn, rendered and photographed. One array of images without labels: the row is the label.

use crate::data::Source;
use crate::data::drawing::grid::Grid;
use crate::data::storage::formats::rows::Expected;
use crate::data::storage::library::{self, Checksum, Import, Publication, PublishedFile};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use crate::npz::Npz;

/// The page of one of the four: its name, what is its own, its colours and shapes, its file.
macro_rules! page {
    ($name:literal, $own:literal, $colours:literal, $shapes:literal, $file:literal) => {
        concat!(
            "\
A robot arm holds an object in front of a camera and turns about two axes: 3x64x64, in colour, every
combination of the seven factors once. The same scene exists as simple renderings, realistic
renderings and photographs, to study transfer from simulation to the real world.

",
            $own,
            "

| factor           | values | meaning                                                    |
| ---------------- | -----: | ---------------------------------------------------------- |
| object_color     | ",
            $colours,
            " |
| object_shape     | ",
            $shapes,
            " |
| object_size      |      2 | small, large                                               |
| camera_height    |      3 | top, centre, bottom                                        |
| background_color |      3 | purple, sea green, salmon                                  |
| horizontal_axis  |     40 | first joint of the arm, in steps                           |
| vertical_axis    |     40 | second joint of the arm, in steps                          |

Values are numbers from 0 on. Rows are in the published order: vertical_axis changes fastest.

`unbraid data import ",
            $name,
            " --from ",
            $file,
            "` takes the published
file. It is read as a stream; the library then holds one byte per number, 12,288 for each image.

Settings:
- part: all.

Good to know: the first release of the renderings had 460,800 images, four colours (green, red,
blue, brown) and four shapes (cone, cube, hexagonal prism, sphere), and disentanglement_lib reads
that one. It is known by its count and gets these sizes; scores on the two cannot be compared.

Published under CC BY 4.0. Cite: Muhammad Waleed Gondal et al., On the Transfer of Inductive Bias
from Simulation to the Real World: a New Disentanglement Dataset, NeurIPS 2019."
        )
    };
}

/// The registry entry of the simple renderings.
pub const TOY: Source = Source {
    info: Info {
        name: "mpi3d-toy",
        title: "MPI3D toy",
        summary: "a robot arm with an object, simply rendered: seven factors; 1,036,800 of 64x64",
        paper: PAPER,
        page: page!(
            "mpi3d-toy",
            "This is the simple drawing: flat light and a plain ground.",
            "     6 | white, green, red, blue, brown, olive                     ",
            "     6 | cone, cube, cylinder, hexagonal prism, pyramid, sphere    ",
            "mpi3d_toy.npz"
        ),
    },
    open: |given| library::open("mpi3d-toy", &TOY_FILES, given),
    publication: Some(&TOY_FILES),
};

/// The registry entry of the realistic renderings.
pub const REALISTIC: Source = Source {
    info: Info {
        name: "mpi3d-realistic",
        title: "MPI3D realistic",
        summary: "a robot arm with an object, well rendered: seven factors; 1,036,800 of 64x64",
        paper: PAPER,
        page: page!(
            "mpi3d-realistic",
            "This is the careful rendering of the scene that was also photographed.",
            "     6 | white, green, red, blue, brown, olive                     ",
            "     6 | cone, cube, cylinder, hexagonal prism, pyramid, sphere    ",
            "mpi3d_realistic.npz"
        ),
    },
    open: |given| library::open("mpi3d-realistic", &REALISTIC_FILES, given),
    publication: Some(&REALISTIC_FILES),
};

/// The registry entry of the photographs.
pub const REAL: Source = Source {
    info: Info {
        name: "mpi3d-real",
        title: "MPI3D real",
        summary: "a robot arm with an object, photographed: seven factors; 1,036,800 of 64x64",
        paper: PAPER,
        page: page!(
            "mpi3d-real",
            "These are the photographs: nature drew the images, and every factor is known.",
            "     6 | white, green, red, blue, brown, olive                     ",
            "     6 | cone, cube, cylinder, hexagonal prism, pyramid, sphere    ",
            "mpi3d_real.npz"
        ),
    },
    open: |given| library::open("mpi3d-real", &REAL_FILES, given),
    publication: Some(&REAL_FILES),
};

/// The registry entry of the photographs of everyday things.
pub const COMPLEX: Source = Source {
    info: Info {
        name: "mpi3d-complex",
        title: "MPI3D complex",
        summary: "a robot arm with an everyday thing, photographed: seven factors; 460,800 of 64x64",
        paper: PAPER,
        page: page!(
            "mpi3d-complex",
            "These are photographs with everyday things in place of plain shapes: 460,800 images.",
            "     4 |                                                           ",
            "     4 | everyday things                                           ",
            "real3d_complicated_shapes_ordered.npz"
        ),
    },
    open: |given| library::open("mpi3d-complex", &COMPLEX_FILES, given),
    publication: Some(&COMPLEX_FILES),
};

const PAPER: &str = "Gondal et al., On the Transfer of Inductive Bias from Simulation to the Real \
                     World, 2019";
const CITATION: &str = "Muhammad Waleed Gondal et al., On the Transfer of Inductive Bias from \
                        Simulation to the Real World: a New Disentanglement Dataset, NeurIPS 2019";

static TOY_FILES: Publication = Publication {
    licence: "CC-BY-4.0",
    citation: CITATION,
    parts: &["all"],
    files: &[
        PublishedFile {
            name: "mpi3d_toy.npz",
            bytes: 0,
            checksum: Checksum::Md5("55889cb7c7dfc655d6e0277beee88868"),
            address: "https://storage.googleapis.com/mpi3d_disentanglement_dataset/data/\
                      mpi3d_toy.npz",
        },
        first_release("sim_toy_64x_ordered_without_heldout_factors.npz"),
    ],
    import: |import| {
        let names = ["mpi3d_toy.npz", "sim_toy_64x_ordered_without_heldout_factors.npz"];
        convert(import, &names, &[FINAL, FIRST])
    },
};

static REALISTIC_FILES: Publication = Publication {
    licence: "CC-BY-4.0",
    citation: CITATION,
    parts: &["all"],
    files: &[
        PublishedFile {
            name: "mpi3d_realistic.npz",
            bytes: 0,
            checksum: Checksum::Md5("59a6225b88b635365f70c91b3e52f70f"),
            address: "https://storage.googleapis.com/mpi3d_disentanglement_dataset/data/\
                      mpi3d_realistic.npz",
        },
        first_release("sim_realistic_64x_ordered_without_heldout_factors.npz"),
    ],
    import: |import| {
        let names =
            ["mpi3d_realistic.npz", "sim_realistic_64x_ordered_without_heldout_factors.npz"];
        convert(import, &names, &[FINAL, FIRST])
    },
};

static REAL_FILES: Publication = Publication {
    licence: "CC-BY-4.0",
    citation: CITATION,
    parts: &["all"],
    files: &[PublishedFile {
        name: "mpi3d_real.npz",
        bytes: 0,
        checksum: Checksum::Md5("0f33f609918fb5c97996692f91129802"),
        address: "https://storage.googleapis.com/mpi3d_disentanglement_dataset/data/mpi3d_real.npz",
    }],
    import: |import| convert(import, &["mpi3d_real.npz"], &[FINAL]),
};

static COMPLEX_FILES: Publication = Publication {
    licence: "CC-BY-4.0",
    citation: CITATION,
    parts: &["all"],
    files: &[first_release("real3d_complicated_shapes_ordered.npz")],
    import: |import| convert(import, &["real3d_complicated_shapes_ordered.npz"], &[FIRST]),
};

const fn first_release(name: &'static str) -> PublishedFile {
    PublishedFile { name, bytes: 0, checksum: Checksum::Unknown, address: "" }
}

const SIZE: [usize; 3] = [64, 64, 3];
/// How many values each factor takes, in the releases there are.
const FINAL: [usize; 7] = [6, 6, 2, 3, 3, 40, 40];
const FIRST: [usize; 7] = [4, 4, 2, 3, 3, 40, 40];
const FACTORS: [&str; 7] = [
    "object_color",
    "object_shape",
    "object_size",
    "camera_height",
    "background_color",
    "horizontal_axis",
    "vertical_axis",
];

/// Which release a file is of is seen from how many images it has.
fn convert(import: &mut Import, names: &[&'static str], releases: &[[usize; 7]]) -> Result<()> {
    let path = import.one_of(names)?;
    let mut file = Npz::open(&path)?;
    let shape = file.shape("images")?;
    let expected = Expected { most: usize::MAX, size: SIZE, factors: 0, dropped: 0 };
    let rows = expected.rows(&shape);
    let release = releases.iter().find(|sizes| rows == Some(sizes.iter().product()));
    let Some(sizes) = release else {
        let counts: Vec<String> =
            releases.iter().map(|sizes| sizes.iter().product::<usize>().to_string()).collect();
        return Err(Error::format(
            &path,
            format!(
                "array `images` has the shape {shape:?}, expected {} images of [64, 64, 3]",
                counts.join(" or ")
            ),
        ));
    };
    let factor = |(name, size): (&&str, &usize)| {
        Factor::discrete(*name, (0..*size).map(|value| value as f32))
    };
    let grid = Grid::new(FACTORS.iter().zip(sizes).map(factor).collect())?;
    let mut part = import.part("all", SIZE, false, grid.factors().to_vec())?;
    let mut images = file.stream("images")?;
    let (mut image, mut values) = (vec![0; SIZE.iter().product()], [0.0; 7]);
    for row in 0..grid.len() {
        images.fill(&mut image)?;
        grid.values(row, &mut values);
        part.row(&image, &values)?;
        import.row_done(row, grid.len(), 1.0)?;
    }
    images.end()?;
    part.finish()
}

#[cfg(test)]
mod tests;
