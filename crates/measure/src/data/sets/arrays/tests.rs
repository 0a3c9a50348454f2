use std::path::PathBuf;

use super::*;
use crate::data::Range;
use crate::data::testing::{assert_refused, row};
use crate::npz::NpzWriter;

/// A folder for the files of one test.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn npz(&self, fill: impl FnOnce(&mut NpzWriter)) -> PathBuf {
        let path = self.path("data.npz");
        let mut writer = NpzWriter::create(&path).unwrap();
        fill(&mut writer);
        writer.finish().unwrap();
        path
    }

    /// A .npy with this header and these bytes after it.
    fn npy(&self, kind: &str, shape: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path("data.npy");
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        let parts = [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), bytes];
        std::fs::write(&path, parts.concat()).unwrap();
        path
    }
}

fn read(path: impl AsRef<Path>, more: &str) -> Result<Box<dyn Dataset>> {
    let mut settings: Table = more.parse().unwrap();
    settings.insert("path".into(), path.as_ref().to_str().unwrap().into());
    Ok(open(&settings)?.0)
}

#[track_caller]
fn refused(path: impl AsRef<Path>, more: &str, parts: &[&str]) {
    assert_refused(read(path, more), parts);
}

#[test]
fn images_with_values_and_names_are_found_by_themselves() {
    let files = Files::new();
    let path = files.npz(|file| {
        file.array("imgs", &[4, 1, 2, 3], &[255_u8; 24]).unwrap();
        file.array("latents_values", &[4, 2], &[0, 5, 1, 5, 0, 6, 1, 7_i64]).unwrap();
        file.strings("names", &["size".into(), "hue".into()]).unwrap();
    });
    let data = read(&path, "").unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (4, "3x1x2".into()));
    let sizes: Vec<_> = data.factors().iter().map(|f| (f.name.as_str(), f.size())).collect();
    assert_eq!(sizes, [("size", Some(2)), ("hue", Some(3))]);
    assert_eq!(data.label(2), Some(vec![0.0, 6.0]));
    assert!(data.find(&[0.0, 6.0]).is_none());

    assert_eq!(read(&path, "names = ''").unwrap().factors()[1].name, "factor-2");
    let bare = read(&path, "values = ''").unwrap();
    assert_eq!((bare.factors().len(), bare.label(0)), (0, None));
}

#[test]
fn the_only_wide_array_is_the_observations() {
    let files = Files::new();
    let path = files.npz(|file| {
        file.array("readings", &[2, 3], &[1.0, -2.0, 3.0, 4.0, 5.0, 6.0_f64]).unwrap();
        file.array("y", &[2, 1], &[0.25_f32, 0.5]).unwrap();
    });
    let data = read(&path, "").unwrap();
    assert_eq!((data.shape().to_string(), data.shape().range), ("3 numbers".into(), Range::Real));
    assert_eq!(row(&*data, 0), [1.0, -2.0, 3.0]);
    assert_eq!(data.label(1), Some(vec![0.5]));
}

#[test]
fn the_type_of_the_numbers_picks_the_range() {
    let files = Files::new();
    let bytes = files.npy("|u1", "(2, 1, 2)", &[0, 1, 1, 0]);
    assert_eq!(read(&bytes, "").unwrap().shape().range, Range::Binary);
    let booleans = files.npy("|b1", "(2, 1, 2)", &[0, 1, 1, 0]);
    assert_eq!(read(&booleans, "").unwrap().shape().range, Range::Binary);
    let integers = files.npy("<i2", "(1, 1, 2)", &[51, 0, 255, 0]);
    let data = read(&integers, "").unwrap();
    assert_eq!((data.shape().range, row(&*data, 0)), (Range::Unit, vec![0.2, 1.0]));
    let beyond = files.npy("<i2", "(1, 1, 2)", &[51, 0, 0, 1]);
    let data = read(&beyond, "").unwrap();
    assert_eq!((data.shape().range, row(&*data, 0)), (Range::Real, vec![51.0, 256.0]));
    let vectors = files.npy("|u1", "(2, 2)", &[0, 1, 1, 0]);
    assert_eq!(read(&vectors, "").unwrap().shape().range, Range::Real);
}

#[test]
fn a_path_that_is_missing_or_of_another_kind_is_refused() {
    let error = open(&Table::new()).err().unwrap().to_string();
    assert!(error.contains("`data.path` is missing"), "{error}");
    let files = Files::new();
    refused(files.path("no.npz"), "", &["cannot read", "no.npz"]);
    refused(files.path("data.csv"), "", &["neither .npz nor .npy", "np.savez"]);
    refused(files.0.path(), "", &["is a folder", "`images`"]);
}

#[test]
fn arrays_that_are_not_there_are_refused_with_those_that_are() {
    let files = Files::new();
    let two = files.npz(|file| {
        file.array("a", &[1, 1], &[0_u8]).unwrap();
        file.array("b", &[1, 1], &[0_u8]).unwrap();
    });
    refused(&two, "", &["several arrays to choose from: a, b", "`data.observations`"]);
    refused(&two, "observations = 'c'", &["no array `c`", "a, b"]);
    refused(&two, "observations = 'a'\nvalues = 'c'", &["no array `c`", "a, b"]);
    let narrow = files.npz(|file| file.array("a", &[1], &[0_u8]).unwrap());
    refused(narrow, "", &["no array of two or more axes; it holds a"]);
    let npy = files.npy("|u1", "(1, 1)", &[0]);
    refused(npy, "values = 'y'", &["`data.values`", ".npy holds one array"]);
}

#[test]
fn shapes_that_cannot_be_meant_are_refused() {
    let files = Files::new();
    let shaped = |shape: &str, count: usize| files.npy("|u1", shape, &vec![0; count]);
    refused(shaped("(0, 4, 4)", 0), "", &["[0, 4, 4]", "nothing in it"]);
    refused(
        shaped("(1, 1, 1, 1, 2)", 2),
        "",
        &["[1, 1, 1, 1, 2]", "expected [rows, height, width"],
    );
    refused(shaped("(3,)", 3), "", &["[3]", "[rows, numbers]"]);
    let first = shaped("(1, 3, 2, 8)", 48);
    refused(first, "", &["8 channels are more than 4", "np.moveaxis(images, 1, -1)"]);
    refused(shaped("(1, 5, 2, 5)", 50), "", &["[rows, height, width, channels]: 5 channels"]);
}

#[test]
fn numbers_that_are_none_are_refused_with_their_row() {
    let files = Files::new();
    let numbers = [0.0, 0.5, 1.0, f32::NAN];
    let path = files.npz(|file| file.array("x", &[2, 1, 2], &numbers).unwrap());
    refused(path, "", &["array `x` has NaN in row 1"]);
    let path = files.npz(|file| {
        file.array("x", &[2, 1], &[0.0_f32; 2]).unwrap();
        file.array("y", &[2], &[f32::INFINITY, 0.0]).unwrap();
    });
    refused(path, "", &["array `y` has inf in row 0"]);
}

#[test]
fn values_and_names_must_fit_the_rows() {
    let files = Files::new();
    let with = |shape: &[usize], names: &[&str]| {
        files.npz(|file| {
            file.array("x", &[2, 1], &[0_u8; 2]).unwrap();
            file.array("values", shape, &vec![0_u8; shape.iter().product()]).unwrap();
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            file.strings("names", &names).unwrap();
        })
    };
    refused(with(&[3, 1], &["a"]), "", &["`values` has 3 rows", "observations have 2"]);
    refused(with(&[2, 1, 1], &["a"]), "", &["[2, 1, 1]", "values are [rows, factors]"]);
    refused(with(&[2, 2], &["a"]), "", &["has 1 names", "2 columns", "`data.names"]);
    refused(with(&[2, 2], &["a", "a"]), "", &["the name `a` twice"]);
}

#[test]
fn pickles_and_cut_files_are_refused() {
    let files = Files::new();
    let pickle = files.npy("|O", "(1, 1)", b"\x80\x04N.");
    refused(pickle, "", &["pickled Python objects", "plain numbers"]);
    refused(files.npy("|u1", "(4, 4)", &[0; 15]), "", &["truncated"]);
    refused(files.npy("<f4", "(4, 4)", &[0; 63]), "", &["truncated"]);
    std::fs::write(files.path("empty.npy"), b"").unwrap();
    refused(files.path("empty.npy"), "", &["truncated"]);
    std::fs::write(files.path("text.npz"), b"hello").unwrap();
    refused(files.path("text.npz"), "", &["no readable .npz"]);
}

#[test]
fn sequences_have_steps_with_targets_and_actions() {
    let files = Files::new();
    let path = files.npz(|file| {
        file.array("observations", &[4, 1], &[0.1f32, 0.2, 0.3, 0.4]).unwrap();
        file.array("values", &[4, 2], &[0.0f32, 1.0, 0.1, 0.9, 0.2, 0.7, 0.3, 0.5]).unwrap();
        file.array("targets", &[3, 2], &[1u8, 0, 0, 0, 0, 1]).unwrap();
        file.array("actions", &[4], &[0.5f32, 0.25, -1.0, 7.0]).unwrap();
        file.array("episode", &[4], &[3i32, 3, 8, 8]).unwrap();
    });
    let data = read(&path, "").unwrap();
    let step = data.next(0).unwrap();
    assert_eq!((step.index, step.targets, step.action), (1, vec![1.0, 0.0], vec![0.5]));
    assert_eq!(data.next(1), None);
    assert_eq!(data.next(2).unwrap().targets, [0.0, 1.0]);
    assert_eq!(data.next(3), None);
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let files = Files::new();
    let path = files.npz(|file| {
        file.array("observations", &[4, 1], &[0.1f32, 0.2, 0.3, 0.4]).unwrap();
        file.array("targets", &[2, 2], &[1u8, 0, 0, 0]).unwrap();
    });
    refused(&path, "", &["array `targets` has the shape [2, 2] and there are 4 observations"]);
    let path = files.npz(|file| {
        file.array("observations", &[2, 1], &[0.1f32, 0.2]).unwrap();
        file.array("targets", &[2, 2], &[1u8, 0, 0, 0]).unwrap();
    });
    refused(&path, "", &["has 2 columns of targets and 0 factors"]);
}
