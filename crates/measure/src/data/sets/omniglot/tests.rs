use std::io::Write;
use std::path::PathBuf;

use image::{GrayImage, Luma};

use super::*;
use crate::data::storage::library::{import_to, open_at};
use crate::data::testing::{assert_refused, row};
use crate::npz::NpzWriter;
use crate::watch::Stage;

const BACKGROUND: [&str; 3] = [
    "Greek/character02/0394_01.png",
    "Greek/character01/0393_02.png",
    "Arcadian/character01/0001_01.png",
];
const EVALUATION: [&str; 1] = ["Tibetan/character07/1500_20.png"];

/// Paper with one black square in the corner, of this side.
fn png(side: u32, ink: u32) -> Vec<u8> {
    let pixel = |x, y| Luma([if x < ink && y < ink { 0 } else { 255 }]);
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = GrayImage::from_fn(side, side, pixel);
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn zip(path: PathBuf, root: &str, files: &[(&str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{root}/{name}"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Unchecked: these are not the published files.
fn import(from: &Path) -> std::result::Result<PathBuf, String> {
    let target = from.join("library/omniglot");
    let done = import_to(&PUBLICATION, from, &target, true, &Stage::unwatched());
    done.map(|()| target).map_err(|error| error.to_string())
}

#[test]
fn zips_and_folders_give_the_same_rows_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let files = |names: &[&'static str]| -> Vec<(&'static str, Vec<u8>)> {
        names.iter().enumerate().map(|(k, name)| (*name, png(105, 30 * k as u32))).collect()
    };
    zip(dir.path().join("images_background.zip"), "images_background", &files(&BACKGROUND));
    for (name, bytes) in files(&EVALUATION) {
        let path = dir.path().join("images_evaluation").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let target = import(dir.path()).unwrap();
    let [all, background, evaluation] = super::PUBLICATION.parts else { panic!("three parts") };
    let open = |part: &str| open_at(&target, part).unwrap();
    assert_eq!([all, background, evaluation].map(|part| open(part).len()), [4, 3, 1]);
    // Arcadian, Greek, Tibetan; characters in order within.
    let labels: Vec<_> = (0..4).map(|row| open("all").label(row).unwrap()).collect();
    assert_eq!(labels, [[0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 7.0, 20.0]]);
    let image = row(&*open("all"), 0);
    // 60 of 105 pixels are ink: 16 of 28.
    assert_eq!(
        (image[0], image[14 * 28 + 14], image[17 * 28 + 17], image[783]),
        (1.0, 1.0, 0.0, 0.0)
    );
    assert!(row(&*open("all"), 2).iter().all(|ink| *ink == 0.0));
}

#[test]
fn one_half_alone_is_taken_and_a_strange_one_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("images_evaluation.zip");
    let name = EVALUATION[0];
    zip(path.clone(), "images_evaluation", &[(name, png(105, 9)), ("Tibetan/._x.png", vec![])]);
    let target = import(dir.path()).unwrap();
    assert!(open_at(&target, "background").is_err());
    assert_eq!(open_at(&target, "evaluation").unwrap().len(), 1);

    let refused = |files: &[(&str, Vec<u8>)], part: &str| {
        zip(path.clone(), "images_evaluation", files);
        assert_refused(import(dir.path()), &[part]);
    };
    let second = "Tibetan/character08/1501_20.png";
    refused(
        &[(name, png(105, 9)), (second, png(64, 9))],
        "1501_20.png has 64x64 pixels and those before it 105x105",
    );
    refused(&[("Tibetan/one.png", png(105, 9))], "expected ALPHABET/characterNN");
    refused(&[(name, png(105, 9)[..60].to_vec())], "cannot be decoded");
    refused(&[("readme.txt", vec![])], "holds no .png");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(import(dir.path()).unwrap_err().contains("no readable zip archive"));
    std::fs::remove_file(&path).unwrap();
    assert!(import(dir.path()).unwrap_err().contains("holds no images_background.zip"));
    // What was imported before all this is still whole.
    assert_eq!(open_at(&target, "evaluation").unwrap().len(), 1);
}

#[test]
fn the_npz_is_split_by_the_names_of_its_alphabets() {
    let dir = tempfile::tempdir().unwrap();
    let write = |alphabets: &[i16]| {
        let mut file = NpzWriter::create(dir.path().join("omniglot_28x28_all.npz")).unwrap();
        let images: Vec<u8> =
            (0..3 * 784).map(|k| if k % 784 == k / 784 { 0 } else { 255 }).collect();
        file.array("imgs", &[3, 28, 28], &images).unwrap();
        file.array("alphabet", &[3], alphabets).unwrap();
        file.array("character", &[3], &[5_i16, 6, 7]).unwrap();
        file.array("drawer", &[3], &[1_i8, 2, 3]).unwrap();
        file.strings("alphabet_names", &["Angelic".into(), "Greek".into()]).unwrap();
        file.finish().unwrap();
    };
    write(&[0, 1, 0]);
    let target = import(dir.path()).unwrap();
    let open = |part: &str| open_at(&target, part).unwrap();
    assert_eq!((open("background").len(), open("evaluation").len()), (1, 2));
    assert_eq!(open("all").label(0), Some(vec![1.0, 6.0, 2.0]));
    let image = row(&*open("evaluation"), 1);
    assert_eq!((image[2], image.iter().sum::<f32>()), (1.0, 1.0));
    for wrong in [[0, 1, 2], [0, 1, -1]] {
        write(&wrong);
        assert!(import(dir.path()).unwrap_err().contains("has no name in `alphabet_names`"));
    }
}
