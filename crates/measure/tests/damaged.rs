//! Published files that are damaged, cut or spliced: an error with words, never a panic, nothing
//! left in the library, and no memory that the file does not pay for.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use unbraid_measure::data;
use unbraid_measure::data::storage::library;
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::watch::Stage;

/// Names and contents.
type Files = Vec<(String, Vec<u8>)>;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats").join(name)
}

/// Where damage is done.
#[derive(Clone, Debug)]
enum Place {
    Anywhere(Index),
    /// Headers are at the start, and few of the bytes of a file.
    Start(usize),
}

impl Place {
    fn within(&self, length: usize) -> usize {
        match self {
            Self::Anywhere(index) => index.index(length),
            Self::Start(place) => *place % length,
        }
    }
}

/// What is done to the bytes of one file.
#[derive(Clone, Debug)]
enum Damage {
    /// These bytes become those.
    Bytes(Vec<(Place, u8)>),
    /// A number of four bytes becomes an extreme one: lengths, counts, offsets.
    Number(Place, u32),
    Cut(Place),
    /// A piece is copied to another place.
    Splice(Place, Place, usize),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Bytes(changes) => {
                for (place, byte) in changes {
                    let place = place.within(bytes.len());
                    bytes[place] = *byte;
                }
            }
            Self::Number(place, number) => {
                let start = place.within(bytes.len());
                for (slot, byte) in bytes[start..].iter_mut().zip(number.to_le_bytes()) {
                    *slot = byte;
                }
            }
            Self::Cut(place) => bytes.truncate(place.within(bytes.len())),
            Self::Splice(from, to, length) => {
                let (from, to) = (from.within(bytes.len()), to.within(bytes.len()));
                let piece = bytes[from..bytes.len().min(from + length)].to_vec();
                bytes.splice(to..to, piece);
            }
        }
    }
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![any::<Index>().prop_map(Place::Anywhere), (0_usize..1500).prop_map(Place::Start)]
}

fn damage() -> impl Strategy<Value = Damage> {
    let extreme = prop::sample::select(vec![0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 1 << 20]);
    prop_oneof![
        3 => prop::collection::vec((place(), any::<u8>()), 1..8).prop_map(Damage::Bytes),
        3 => (place(), extreme).prop_map(|(place, number)| Damage::Number(place, number)),
        1 => place().prop_map(Damage::Cut),
        1 => (place(), place(), 1_usize..64).prop_map(|(a, b, length)| Damage::Splice(a, b, length)),
    ]
}

/// Import a data set from files of which one is damaged. Whatever comes back is whole or is words.
fn check(name: &'static str, files: &[(String, Vec<u8>)], target: usize, damage: &Damage) {
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("from");
    for (k, (file, bytes)) in files.iter().enumerate() {
        let mut bytes = bytes.clone();
        if k == target {
            damage.apply(&mut bytes);
        }
        let path = from.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let publication = data::find(name).unwrap().publication.unwrap();
    let library = dir.path().join("library");
    let done =
        library::import_to(publication, &from, &library.join(name), true, &Stage::unwatched());
    match done {
        Ok(()) => {
            let part = publication
                .parts
                .iter()
                .find_map(|part| library::open_at(&library.join(name), part).ok());
            let data = part.expect("what was imported opens");
            let mut image = vec![f32::NAN; data.shape().size()];
            data.observe(data.len() - 1, &mut image);
            assert!(image.iter().all(|number| (0.0..=1.0).contains(number)));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(fs::read_dir(&library).unwrap().count(), 0, "{error}");
        }
    }
}

fn read(folder: &str) -> Files {
    let mut files: Files = fs::read_dir(fixture(folder))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn one(name: &str, fixture_name: &str) -> Files {
    vec![(name.into(), fs::read(fixture(fixture_name)).unwrap())]
}

fn npz(name: &str, fill: impl FnOnce(&mut NpzWriter)) -> Files {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    fill(&mut writer);
    writer.finish().unwrap();
    vec![(name.into(), fs::read(path).unwrap())]
}

fn digits() -> Files {
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    };
    let images = [numbers(&[2051, 2, 28, 28]), vec![9; 2 * 784]].concat();
    let labels = [numbers(&[2049, 2]), vec![3, 4]].concat();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &images).unwrap();
    vec![
        ("train-images-idx3-ubyte".into(), images),
        ("train-labels-idx1-ubyte".into(), labels.clone()),
        ("t10k-images-idx3-ubyte.gz".into(), packed.finish().unwrap()),
        ("t10k-labels-idx1-ubyte".into(), labels),
    ]
}

fn sprites() -> Files {
    npz("dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz", |file| {
        file.array("imgs", &[2, 64, 64], &[1_u8; 8192]).unwrap();
        file.array("latents_values", &[2, 6], &[0.5_f64; 12]).unwrap();
    })
}

fn cars() -> Files {
    let bytes = fs::read(fixture("cars/car_001_mesh.mat")).unwrap();
    vec![
        ("data/cars/car_001_mesh.mat".into(), bytes),
        ("data/cars/list.txt".into(), b"car_001_mesh\n".to_vec()),
    ]
}

fn analogies() -> Files {
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    for (name, bytes) in cars() {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    vec![("nips2015-analogy-data.tar.gz".into(), bytes)]
}

fn drawings() -> Files {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["Greek/character01/0394_01.png", "Greek/character01/0394_02.png"] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("images_background/{name}"), options).unwrap();
        let mut png = std::io::Cursor::new(Vec::new());
        let picture = image::GrayImage::from_fn(105, 105, |x, y| image::Luma([(x * y) as u8]));
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        std::io::Write::write_all(&mut zip, &png.into_inner()).unwrap();
    }
    vec![("images_background.zip".into(), zip.finish().unwrap().into_inner())]
}

fn letters() -> Files {
    npz("omniglot_28x28_all.npz", |file| {
        file.array("imgs", &[2, 28, 28], &[255_u8; 1568]).unwrap();
        file.array("alphabet", &[2], &[0_i16, 1]).unwrap();
        file.array("character", &[2], &[1_i16, 1]).unwrap();
        file.array("drawer", &[2], &[1_i8, 20]).unwrap();
        file.strings("alphabet_names", &["Angelic".into(), "Greek".into()]).unwrap();
    })
}

fn faces() -> Files {
    read("celeb_a")
}

/// Every reader with a sound set of files.
fn sets() -> Vec<(&'static str, Files)> {
    let hdf5 = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5";
    let toys: Vec<_> =
        read("smallnorb").into_iter().filter(|file| file.0.ends_with("mat")).collect();
    let robot = npz("mpi3d_toy.npz", |file| {
        file.array("images", &[2, 64, 64, 3], &vec![1_u8; 24_576]).unwrap();
    });
    vec![
        ("mnist", digits()),
        ("smallnorb", toys),
        ("dsprites", sprites()),
        ("dsprites", one(hdf5, "dsprites/chunked.hdf5")),
        ("dsprites", one(hdf5, "dsprites/chunked_latest.hdf5")),
        ("dsprites", one(hdf5, "dsprites/dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5")),
        ("mpi3d-toy", robot),
        ("cars3d", cars()),
        ("cars3d", analogies()),
        ("omniglot", drawings()),
        ("omniglot", letters()),
        ("celeba", faces()),
        ("binarized-mnist", read("binarized_mnist")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sequences_never_panic(damage in damage()) {
        let files = npz("train.npz", |file| {
            file.array("images", &[3, 2, 2, 4], &[7_u8; 48]).unwrap();
            file.array("latents", &[3, 2], &[0.5_f32, 1.0, 0.25, 1.0, 0.75, 1.0]).unwrap();
            file.array("targets", &[2, 2], &[1.0_f32, 0.0, 0.0, 0.0]).unwrap();
            file.array("actions", &[3, 1], &[1.0_f32, 0.0, 0.0]).unwrap();
            file.strings("keys", &["ball_x".into(), "ball_y".into()]).unwrap();
        });
        let dir = tempfile::tempdir().unwrap();
        let mut bytes = files[0].1.clone();
        damage.apply(&mut bytes);
        fs::write(dir.path().join("train.npz"), bytes).unwrap();
        let settings = format!("path = {:?}", dir.path().to_str().unwrap()).parse().unwrap();
        match (data::find("citris").unwrap().open)(&settings) {
            Ok((data, _)) => {
                let steps = (0..data.len()).filter_map(|row| data.next(row)).count();
                prop_assert!(steps < data.len());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_damaged_file_never_panics(damage in damage(), which in any::<Index>()) {
        for (name, files) in sets() {
            check(name, &files, which.index(files.len()), &damage);
        }
    }
}
