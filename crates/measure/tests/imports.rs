//! Published files in miniature: what they hold is what arrives in the library.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;
use unbraid_measure::data::storage::library;
use unbraid_measure::data::{self, Dataset, Range};
use unbraid_measure::npz::{self, NpzWriter, Numbers};
use unbraid_measure::watch::Stage;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(name)
}

/// A data set imported to a directory of its own. If that fails, nothing is left behind.
struct Imported {
    dir: TempDir,
    name: &'static str,
}

impl Imported {
    fn new(name: &'static str, from: &Path) -> Result<Self, String> {
        let dir = tempfile::tempdir().unwrap();
        let publication = data::find(name).unwrap().publication.unwrap();
        let target = dir.path().join(name);
        let done = library::import_to(publication, from, &target, true, &Stage::unwatched());
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, usize::from(done.is_ok()), "{name} left something behind");
        done.map(|()| Self { dir, name }).map_err(|error| error.to_string())
    }

    fn open(&self, part: &str) -> Box<dyn Dataset> {
        library::open_at(&self.dir.path().join(self.name), part).unwrap()
    }
}

#[track_caller]
fn refused(name: &'static str, from: &Path, part: &str) {
    let error = Imported::new(name, from).err().expect("this should be refused");
    assert!(error.contains(part), "`{part}` is not in: {error}");
}

/// The bytes of a row, channel by channel.
fn row(data: &dyn Dataset, index: usize) -> Vec<u8> {
    let mut out = vec![f32::NAN; data.shape().size()];
    data.observe(index, &mut out);
    let one = if data.shape().range == Range::Binary { 1.0 } else { 255.0 };
    out.iter().map(|number| (number * one).round() as u8).collect()
}

fn sum(data: &dyn Dataset) -> u64 {
    (0..data.len()).flat_map(|index| row(data, index)).map(u64::from).sum()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// MNIST of three images to train on and one to test on.
fn mnist() -> Vec<(&'static str, Vec<u8>)> {
    let header = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    };
    let images = |rows: u32| {
        let pixels = (0..rows * 784).map(|place| (place / 784 * 50 + place % 784 % 50) as u8);
        [header(&[2051, rows, 28, 28]), pixels.collect()].concat()
    };
    vec![
        ("train-images-idx3-ubyte", images(3)),
        ("train-labels-idx1-ubyte", [header(&[2049, 3]), vec![7, 0, 9]].concat()),
        ("t10k-images-idx3-ubyte", images(1)),
        ("t10k-labels-idx1-ubyte", [header(&[2049, 1]), vec![4]].concat()),
    ]
}

fn folder(files: &[(&str, Vec<u8>)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    dir
}

#[test]
fn mnist_is_read_packed_or_not() {
    for name in ["mnist", "fashion-mnist"] {
        let mut files = mnist();
        files[0] = ("train-images-idx3-ubyte.gz", gzip(&files[0].1));
        let imported = Imported::new(name, folder(&files).path()).unwrap();
        let (train, test) = (imported.open("train"), imported.open("test"));
        assert_eq!((train.len(), test.len()), (3, 1));
        assert_eq!(train.label(2), Some(vec![9.0]));
        assert_eq!(row(&*train, 2)[..3], [100, 101, 102]);
        assert_eq!(test.label(0), Some(vec![4.0]));
        // One part alone will do.
        let train_only = Imported::new(name, folder(&files[..2]).path()).unwrap();
        assert_eq!(train_only.open("train").len(), 3);
        assert!(library::open_at(&train_only.dir.path().join(name), "test").is_err());
    }
}

#[test]
fn mnist_that_does_not_fit_is_refused() {
    let changed = |file: usize, change: &dyn Fn(&mut Vec<u8>)| {
        let mut files = mnist();
        change(&mut files[file].1);
        folder(&files)
    };
    let refused = |file, change: &dyn Fn(&mut Vec<u8>), part| {
        refused("mnist", changed(file, change).path(), part);
    };
    refused(0, &|bytes| bytes[3] = 1, "is no IDX file of images: it begins with 2049");
    refused(0, &|bytes| bytes[11] = 27, "holds images of 28x27");
    refused(0, &|bytes| bytes[4] = 255, "labels for 4278190083 images");
    refused(0, &|bytes| bytes.truncate(99), "ends early");
    refused(0, &|bytes| bytes.push(0), "goes on after");
    refused(1, &|bytes| bytes[7] = 2, "holds 2 labels for 3 images");
    refused(1, &|bytes| bytes[8] = 10, "has the label 10 in row 0");
    refused(0, &|bytes| *bytes = gzip(bytes)[..90].to_vec(), "ends early");
    refused(3, &Vec::clear, "ends early");
    let files = mnist();
    self::refused("mnist", folder(&files[..1]).path(), "holds no train-labels-idx1-ubyte");
    self::refused("mnist", folder(&[]).path(), "holds no train-images-idx3-ubyte");
    self::refused("mnist", Path::new("nowhere/at/all"), "no such file or directory");
}

#[test]
fn a_file_that_is_not_the_published_one_is_refused_unless_it_may_be() {
    let files = folder(&mnist());
    let target = files.path().join("library/mnist");
    let publication = data::find("mnist").unwrap().publication.unwrap();
    let done = library::import_to(publication, files.path(), &target, false, &Stage::unwatched());
    let error = done.unwrap_err().to_string();
    assert!(error.contains("has 2368 bytes and the published file has 47040016"), "{error}");
    assert!(error.contains("--unchecked"), "{error}");
}

#[test]
fn smallnorb_has_its_first_camera_and_its_factors() {
    let imported = Imported::new("smallnorb", &fixture("smallnorb")).unwrap();
    let [all, train, test] = ["all", "train", "test"].map(|part| imported.open(part));
    assert_eq!((all.len(), train.len(), test.len()), (10, 5, 5));
    let names: Vec<_> = all.factors().iter().map(|factor| factor.name.as_str()).collect();
    assert_eq!(names, ["category", "instance", "elevation", "azimuth", "lighting"]);
    // cat [0 0 2 1 2] and info [[1 8 8 0] ...], [1 2 4 0 3] and [[9 2 12 3] ...]
    assert_eq!(train.label(0), Some(vec![0.0, 1.0, 8.0, 4.0, 0.0]));
    assert_eq!(train.label(2), Some(vec![2.0, 2.0, 0.0, 16.0, 2.0]));
    assert_eq!(test.label(0), Some(vec![1.0, 9.0, 2.0, 6.0, 3.0]));
    assert_eq!((all.label(5), row(&*all, 5)), (test.label(0), row(&*test, 0)));
    let Numbers::Bytes(pillow) = npz::read_npy(fixture("smallnorb/pillow.npy")).unwrap().numbers
    else {
        panic!("bytes were saved")
    };
    assert_eq!(row(&*train, 0), pillow);
}

#[test]
fn smallnorb_that_does_not_fit_is_refused() {
    let train = "smallnorb-5x46789x9x18x6x2x96x96-training";
    let with = |kind: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let dir = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(fixture("smallnorb")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), dir.path().join(entry.file_name())).unwrap();
        }
        let path = dir.path().join(format!("{train}-{kind}.mat"));
        let mut bytes = std::fs::read(&path).unwrap();
        change(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        dir
    };
    let refused = |kind, change: &dyn Fn(&mut Vec<u8>), part| {
        refused("smallnorb", with(kind, change).path(), part);
    };
    refused("dat", &|bytes| bytes[0] = 0x54, "is no NORB matrix of bytes");
    refused("dat", &|bytes| bytes[8] = 4, "has the shape [5], expected [4]");
    refused(
        "dat",
        &|bytes| bytes[16] = 95,
        "has the shape [5, 2, 95, 96], expected [5, 2, 96, 96]",
    );
    refused("dat", &|bytes| bytes.truncate(90_000), "ends early");
    refused("cat", &|bytes| bytes[11] = 255, "negative length");
    refused("cat", &|bytes| bytes[20] = 5, "has the category 5 in row 0, expected 0 to 4");
    refused("info", &|bytes| bytes[28] = 7, "has the azimuth 7 in row 0, expected 0 to 34");
    // Packed is fine.
    let packed = with("info", &|bytes| *bytes = gzip(bytes));
    assert_eq!(Imported::new("smallnorb", packed.path()).unwrap().open("all").len(), 10);
}

#[test]
fn dsprites_is_read_from_hdf5_whatever_its_chunks() {
    let noise = fixture("dsprites/dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5");
    let data = Imported::new("dsprites", &noise).unwrap().open("all");
    assert_eq!((data.len(), data.shape().range, sum(&*data)), (5, Range::Unit, 2_610_410));
    assert_eq!(row(&*data, 0)[..8], [172, 47, 117, 192, 67, 251, 195, 103]);
    let expected = [2.0, 0.6, 1.611_073_1, 0.096_774_19, 0.903_225_84];
    let label = data.label(4).unwrap();
    assert!(label.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{label:?}");
    for file in ["dsprites/chunked.hdf5", "dsprites/chunked_latest.hdf5"] {
        let imported = Imported::new("dsprites", &fixture(file)).unwrap();
        let data = imported.open("all");
        assert_eq!((data.len(), data.shape().range), (50, Range::Binary), "{file}");
        for index in 0..50 {
            let image = row(&*data, index);
            let lit = image.iter().take_while(|pixel| **pixel == 1).count();
            assert_eq!((lit, sum_of(&image)), (index + 1, index as u64 + 1), "{file}");
        }
        // Colour is dropped; the others are a grid of 5, 2, 1, 5 and 1.
        assert_eq!(data.find(&[3.0, 1.0, 0.5, 0.25, 7.0]), Some(26), "{file}");
    }
}

fn sum_of(image: &[u8]) -> u64 {
    image.iter().copied().map(u64::from).sum()
}

/// A small npz of dSprites with the pickle that the real one has.
fn dsprites_npz(path: &Path, rows: usize, columns: usize) {
    let mut file = NpzWriter::create(path).unwrap();
    let images: Vec<u8> = (0..rows * 4096).map(|k| u8::from(k % 4096 == k / 4096)).collect();
    file.array("imgs", &[rows, 64, 64], &images).unwrap();
    let values: Vec<f64> =
        (0..4 * columns).map(|k| (k / columns * 10 + k % columns) as f64).collect();
    file.array("latents_values", &[4, columns], &values).unwrap();
    file.finish().unwrap();
    let mut zip = zip::ZipWriter::new_append(
        std::fs::File::options().read(true).write(true).open(path).unwrap(),
    )
    .unwrap();
    zip.start_file("metadata.npy", zip::write::SimpleFileOptions::default()).unwrap();
    let header = "{'descr': '|O', 'fortran_order': False, 'shape': (), }\n";
    let length = (header.len() as u16).to_le_bytes();
    let pickle = [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), b"\x80\x02}."];
    zip.write_all(&pickle.concat()).unwrap();
    zip.finish().unwrap();
}

#[test]
fn dsprites_is_read_from_npz_without_its_pickle() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz");
    dsprites_npz(&path, 4, 6);
    let imported = Imported::new("dsprites", dir.path()).unwrap();
    let data = imported.open("all");
    assert_eq!((data.len(), data.shape().range), (4, Range::Binary));
    assert_eq!(data.label(2), Some(vec![21.0, 22.0, 23.0, 24.0, 25.0]));
    assert_eq!(row(&*data, 2).iter().position(|pixel| *pixel == 1), Some(2));
    dsprites_npz(&path, 4, 5);
    let data = Imported::new("dsprites", &path).unwrap().open("all");
    assert_eq!(data.label(2), Some(vec![20.0, 21.0, 22.0, 23.0, 24.0]));
    dsprites_npz(&path, 3, 6);
    refused("dsprites", &path, "`latents_values` has the shape [4, 6], expected 5 columns for 3");
    dsprites_npz(&path, 4, 7);
    refused("dsprites", &path, "[4, 7], expected 5 columns");
    dsprites_npz(&path, 4, 6);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    refused("dsprites", &path, "is no readable .npz");
    std::fs::write(dir.path().join("x.txt"), "").unwrap();
    refused("dsprites", &dir.path().join("x.txt"), "holds no dsprites_ndarray");
}

#[test]
fn an_hdf5_file_of_another_layout_or_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.hdf5");
    std::fs::copy(fixture("shapes3d/chunked.h5"), &path).unwrap();
    refused("dsprites", &path, "array `imgs` is not there");
    let whole = std::fs::read(fixture("dsprites/chunked.hdf5")).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(Imported::new("dsprites", &path).is_err());
    std::fs::write(&path, "no HDF5").unwrap();
    refused("dsprites", &path, "is no readable HDF5 file");
}

#[test]
fn binarized_mnist_is_read_from_text() {
    let imported = Imported::new("binarized-mnist", &fixture("binarized_mnist")).unwrap();
    let lengths = ["train", "validation", "test"].map(|part| imported.open(part).len());
    assert_eq!(lengths, [10, 2, 2]);
    let test = imported.open("test");
    assert_eq!(row(&*test, 0)[..5], [190, 210, 126, 117, 92]);
    assert!(test.factors().is_empty());

    let write = |line: &str| {
        let names = ["train", "valid", "test"].map(|part| format!("binarized_mnist_{part}.amat"));
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), line.into())).collect();
        folder(&files)
    };
    let line = "0 1 ".repeat(392) + "\n";
    let imported = Imported::new("binarized-mnist", write(&line.repeat(2)).path()).unwrap();
    let train = imported.open("train");
    assert_eq!((train.len(), train.shape().range, sum(&*train)), (2, Range::Binary, 784));
    let refused = |line: &str, part| refused("binarized-mnist", write(line).path(), part);
    refused(&line[2..], "line 1 has 783 pixels, expected 784");
    refused(&line.replace('1', "x"), "line 1 has `x` for a pixel");
    refused(&line.replace('1', "-1"), "line 1 has `-1` for a pixel");
    refused("", "there is no row for the part \"train\"");
    refused(&"0".repeat(70_000), "a line that does not end");
}
