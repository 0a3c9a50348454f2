use std::path::PathBuf;

use super::*;
use crate::data::{Dataset, testing};
use crate::npz::{Numbers, read_npy};

const CARS: [&str; 3] = ["car_001_mesh", "car_002_mesh", "car_010_mesh"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/cars").join(name)
}

/// `data/cars` with these files.
fn folder(files: &[(&str, Vec<u8>)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let cars = dir.path().join("data/cars");
    std::fs::create_dir_all(&cars).unwrap();
    for (name, bytes) in files {
        std::fs::write(cars.join(name), bytes).unwrap();
    }
    dir
}

fn cars() -> Vec<(&'static str, Vec<u8>)> {
    let names = ["car_001_mesh.mat", "car_002_mesh.mat", "car_010_mesh.mat"];
    names.map(|name| (name, std::fs::read(fixture(name)).unwrap())).to_vec()
}

fn import(from: &Path) -> std::result::Result<Box<dyn Dataset>, String> {
    testing::import(&PUBLICATION, from)
}

/// One pixel as a byte.
fn pixel(data: &dyn Dataset, values: [f32; 3], channel: usize, y: usize, x: usize) -> f32 {
    let image = testing::row(data, data.find(&values).unwrap());
    (image[(channel * SIDE + y) * SIDE + x] * 255.0).round()
}

#[test]
fn axes_are_where_they_belong() {
    let data = import(folder(&cars()).path()).unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (288, "3x64x64".into()));
    let sizes: Vec<_> = data.factors().iter().map(|factor| factor.size().unwrap()).collect();
    assert_eq!(sizes, [4, 24, 3]);
    assert_eq!(data.label(4), Some(vec![0.0, 1.0, 1.0]));
    // (y >= 32)·40 + (x >= 16)·20 + 5·channel + 2·azimuth + elevation + 30·car, far from the edges.
    assert_eq!(pixel(&*data, [0.0, 0.0, 0.0], 0, 4, 4), 0.0);
    assert_eq!(pixel(&*data, [3.0, 7.0, 2.0], 2, 50, 4), 40.0 + 10.0 + 14.0 + 3.0 + 60.0);
    assert_eq!(pixel(&*data, [1.0, 23.0, 1.0], 1, 4, 50), 20.0 + 5.0 + 46.0 + 1.0 + 30.0);
}

#[test]
fn the_full_images_are_the_published_bytes_in_the_same_rows() {
    let (dir, from) = (tempfile::tempdir().unwrap(), folder(&cars()));
    let target = dir.path().join("cars3d");
    let watch = crate::watch::Stage::unwatched();
    library::import_to(&PUBLICATION, from.path(), &target, true, &watch).unwrap();
    let [small, full] = ["all", "full"].map(|part| library::open_at(&target, part).unwrap());
    assert_eq!((full.len(), full.shape().to_string()), (small.len(), "3x128x128".into()));
    assert_eq!(full.label(100), small.label(100));
    // The same formula, of pixels twice as fine, to the edge of each area.
    let image = testing::row(&*full, full.find(&[3.0, 7.0, 2.0]).unwrap());
    let pixel = |channel: usize, y: usize, x: usize| {
        (image[(channel * STORED + y) * STORED + x] * 255.0).round()
    };
    let ground = 14.0 + 3.0 + 60.0;
    assert_eq!([pixel(0, 63, 31), pixel(0, 64, 31)], [ground, ground + 40.0]);
    assert_eq!([pixel(2, 63, 32), pixel(1, 127, 127)], [ground + 30.0, ground + 65.0]);
}

#[test]
fn resizing_is_pillows_to_the_byte() {
    let data = import(folder(&cars()).path()).unwrap();
    let Numbers::Bytes(pillow) = read_npy(fixture("pillow.npy")).unwrap().numbers else {
        panic!("bytes were saved")
    };
    let image = testing::row(&*data, data.find(&[2.0, 5.0, 0.0]).unwrap());
    for (place, byte) in pillow.iter().enumerate() {
        let ours = (image[place % 3 * SIDE * SIDE + place / 3] * 255.0).round() as u8;
        assert_eq!(ours, *byte, "{place}");
    }
}

#[test]
fn the_list_gives_the_order_and_must_fit() {
    let with_list = |list: &str| {
        let mut files = cars();
        files.push(("list.txt", list.into()));
        import(folder(&files).path())
    };
    let data = with_list("car_010_mesh\ncar_001_mesh\r\ncar_002_mesh\n").unwrap();
    assert_eq!(pixel(&*data, [0.0, 0.0, 0.0], 0, 4, 4), 60.0);
    assert!(with_list("car_003_mesh\n").err().unwrap().contains("no car_003_mesh.mat"));
    let error = with_list("car_010_mesh\ncar_001_mesh\n").err().unwrap();
    assert!(error.contains("car_002_mesh.mat, which list.txt does not name"), "{error}");
}

#[test]
fn the_archive_gives_the_same_and_a_cut_one_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(ARCHIVE);
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    let mut append = |name: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes).unwrap();
    };
    append("data/shapes48.mat", b"not a car");
    for (name, bytes) in cars() {
        append(&format!("data/cars/{name}"), &bytes);
    }
    append("data/cars/list.txt", CARS.join("\n").as_bytes());
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let data = import(dir.path()).unwrap();
    assert_eq!(pixel(&*data, [3.0, 7.0, 2.0], 2, 50, 4), 127.0);
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = import(&path).err().unwrap();
    assert!(error.contains("truncated") || error.contains("cannot be read"), "{error}");
}

#[test]
fn files_of_other_versions_and_shapes_are_refused() {
    let refused = |bytes: Vec<u8>, part: &str| {
        let files = folder(&[("car_001_mesh.mat", bytes)]);
        testing::assert_refused(import(files.path()), &[part]);
    };
    let whole = std::fs::read(fixture("car_001_mesh.mat")).unwrap();
    refused(std::fs::read(fixture("version4.mat")).unwrap(), "too short for a MATLAB file");
    refused(vec![0; 200], "is no MATLAB 5 file");
    let mut newer = whole.clone();
    newer[125] = 2;
    refused(newer, "is a MATLAB 7.3 file; save it with -v7");
    refused(whole[..whole.len() / 2].to_vec(), "truncated");
    refused(whole[..128].to_vec(), "holds no variable `im`");
    let error = import(folder(&[]).path()).err().unwrap();
    assert!(error.contains("holds no .mat file of a car"), "{error}");
}

#[test]
fn sheets_have_a_column_for_each_azimuth_and_a_row_for_each_elevation() {
    let dir = tempfile::tempdir().unwrap();
    for car in 0..2u8 {
        let sheet = image::RgbImage::from_fn(
            (AZIMUTHS * SIDE) as u32,
            (ELEVATIONS * SIDE) as u32,
            |x, y| {
                let (azimuth, elevation) = (x as usize / SIDE, y as usize / SIDE);
                image::Rgb([azimuth as u8, 10 * elevation as u8 + car, (x as usize % SIDE) as u8])
            },
        );
        sheet.save(dir.path().join(format!("car_00{car}.png"))).unwrap();
    }
    let data = import(dir.path()).unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (192, "3x64x64".into()));
    assert_eq!(pixel(&*data, [3.0, 7.0, 1.0], 0, 4, 50), 7.0);
    assert_eq!(pixel(&*data, [3.0, 7.0, 1.0], 1, 63, 0), 31.0);
    assert_eq!(pixel(&*data, [3.0, 7.0, 1.0], 2, 4, 50), 50.0);
    image::RgbImage::new(10, 10).save(dir.path().join("car_003.png")).unwrap();
    let refused = import(dir.path()).err().unwrap();
    assert!(refused.contains("is 10x10, not a sheet of 1536x256"), "{refused}");
}
