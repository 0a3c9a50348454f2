//! A library in which every published data set is there, a few rows each.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;
use unbraid_measure::data;
use unbraid_measure::data::storage::library;
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::watch::Stage;

/// Make it, once for this process.
pub(crate) fn library() {
    static LIBRARY: OnceLock<TempDir> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        assert!(library::set_root(dir.path().join("library")));
        fill(dir.path());
        dir
    });
}

fn fill(dir: &Path) {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let import = |name: &str, from: PathBuf| {
        let source = data::find(name).unwrap();
        library::import(source, &from, true, &Stage::unwatched()).unwrap();
    };
    import("dsprites", formats.join("dsprites/chunked.hdf5"));
    import("shapes3d", formats.join("shapes3d/chunked.h5"));
    import("smallnorb", formats.join("smallnorb"));
    import("celeba", formats.join("celeb_a"));
    import("binarized-mnist", formats.join("binarized_mnist"));
    import("cars3d", cars(dir, &formats));
    characters(&library::directory("sprites").unwrap());
    let digits = idx(dir);
    import("mnist", digits.clone());
    import("fashion-mnist", digits);
    import("omniglot", drawings(dir));
    for name in ["mpi3d-toy", "mpi3d-realistic", "mpi3d-real", "mpi3d-complex"] {
        robot(&library::directory(name).unwrap());
    }
}

/// The folder `cars`, as the published archive has it.
fn cars(dir: &Path, formats: &Path) -> PathBuf {
    let cars = dir.join("analogies/data/cars");
    fs::create_dir_all(&cars).unwrap();
    for name in ["car_001_mesh.mat", "car_002_mesh.mat"] {
        fs::copy(formats.join("cars").join(name), cars.join(name)).unwrap();
    }
    dir.join("analogies")
}

/// Two digits to train on and one to test on.
fn idx(dir: &Path) -> PathBuf {
    let dir = dir.join("digits");
    fs::create_dir(&dir).unwrap();
    for (part, rows) in [("train", 2_u32), ("t10k", 1)] {
        let mut images = fs::File::create(dir.join(format!("{part}-images-idx3-ubyte"))).unwrap();
        let mut labels = fs::File::create(dir.join(format!("{part}-labels-idx1-ubyte"))).unwrap();
        for number in [2051, rows, 28, 28] {
            images.write_all(&number.to_be_bytes()).unwrap();
        }
        for number in [2049, rows] {
            labels.write_all(&number.to_be_bytes()).unwrap();
        }
        for row in 0..rows as u8 {
            images.write_all(&[row * 100 + 5; 784]).unwrap();
            labels.write_all(&[row + 3]).unwrap();
        }
    }
    dir
}

/// One drawing of either part.
fn drawings(dir: &Path) -> PathBuf {
    let dir = dir.join("drawings");
    for path in [
        "images_background/Greek/character01/0394_01.png",
        "images_evaluation/Tibetan/character02/1500_20.png",
    ] {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        image::GrayImage::from_pixel(105, 105, image::Luma([255])).save(path).unwrap();
    }
    dir
}

/// What an import of sprites leaves, of sheets with a single pixel in each of their 90 views.
fn characters(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    let pixels = 39 * 90;
    let starts: Vec<u32> = (0..=pixels).collect();
    let places: Vec<u16> = (0..pixels as u16).collect();
    let mut sheets = NpzWriter::create(directory.join("sheets.npz")).unwrap();
    sheets.array("starts", &[starts.len()], &starts).unwrap();
    sheets.array("places", &[places.len()], &places).unwrap();
    sheets.array("colours", &[places.len(), 3], &vec![200_u8; places.len() * 3]).unwrap();
    sheets.finish().unwrap();
    fs::write(directory.join("about.toml"), "format = 1\n").unwrap();
}

/// What an import of MPI3D leaves. The file itself cannot be made small: its count is what says
/// which release it is of.
fn robot(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    let names = [
        "object_color",
        "object_shape",
        "object_size",
        "camera_height",
        "background_color",
        "horizontal_axis",
        "vertical_axis",
    ];
    let mut table = NpzWriter::create(directory.join("all.npz")).unwrap();
    table.array("format", &[], &[1_i64]).unwrap();
    table.strings("observations", &["all".into()]).unwrap();
    table.array("place", &[2], &[0_i64, 2]).unwrap();
    table.array("shape", &[4], &[2_i64, 64, 64, 3]).unwrap();
    table.array("one", &[], &[255_i64]).unwrap();
    table.array("binary", &[], &[0_i64]).unwrap();
    let values: Vec<f32> = (0..14).map(|place| f32::from(u8::from(place == 13))).collect();
    table.array("values", &[2, 7], &values).unwrap();
    table.strings("names", &names.map(String::from)).unwrap();
    table.array("discrete", &[7], &[1_u8; 7]).unwrap();
    table.finish().unwrap();
    fs::write(directory.join("all.bin"), vec![200_u8; 2 * 64 * 64 * 3]).unwrap();
    fs::write(directory.join("about.toml"), "format = 1\n").unwrap();
}
