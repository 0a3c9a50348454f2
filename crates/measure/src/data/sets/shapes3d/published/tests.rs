use std::path::{Path, PathBuf};

use super::*;
use crate::data::testing::{self, row};
use crate::data::{Dataset, Range};
use crate::npz::NpzWriter;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/shapes3d").join(name)
}

fn import(path: &Path) -> std::result::Result<Box<dyn Dataset>, String> {
    testing::import(&PUBLICATION, path)
}

#[test]
fn the_file_of_others_holds_what_h5py_finds_in_it() {
    let data = import(&fixture("3dshapes.h5")).unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (5, "3x64x64".into()));
    assert_eq!(data.shape().range, Range::Unit);
    let sum: f64 = (0..5).flat_map(|k| row(&*data, k)).map(|v| f64::from(v * 255.0)).sum();
    assert!((sum - 7_865_550.0).abs() < 1.0, "{sum}");
    let first: Vec<f32> = row(&*data, 0).iter().step_by(4096).map(|v| v * 255.0).collect();
    assert_eq!(first, [172.0, 47.0, 117.0]);
    assert_eq!(data.label(4).unwrap()[..2], [0.7, 0.7]);
    assert_eq!(data.label(4).unwrap()[5], -21.428_572);
}

#[test]
fn packed_chunks_give_rows_in_order_and_labels_give_classes() {
    let data = import(&fixture("chunked.h5")).unwrap();
    assert_eq!(data.len(), 24);
    let sizes: Vec<_> = data.factors().iter().map(|factor| factor.size().unwrap()).collect();
    assert_eq!(sizes, [2, 1, 2, 2, 3, 1]);
    for k in 0..24 {
        let levels: Vec<f32> = row(&*data, k).iter().map(|v| (v * 255.0).round()).collect();
        for (channel, plane) in levels.chunks(4096).enumerate() {
            assert!(plane.iter().all(|level| *level == (k * (channel + 1)) as f32), "row {k}");
        }
    }
    assert_eq!(data.find(&[0.1, 0.3, 0.0, 1.25, 3.0, -30.0]), Some(17));
}

#[test]
fn six_axes_of_factors_are_rows_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(NPZ);
    let write = |columns: usize| {
        let mut file = NpzWriter::create(&path).unwrap();
        let images: Vec<u8> = (0..4 * 12_288).map(|k| (k / 12_288) as u8).collect();
        file.array("images", &[2, 1, 2, 1, 1, 1, 64, 64, 3], &images).unwrap();
        let labels: Vec<f64> =
            (0..4 * columns).map(|k| (k / columns * (k % columns)) as f64).collect();
        file.array("labels", &[2, 1, 2, 1, 1, 1, columns], &labels).unwrap();
        file.finish().unwrap();
    };
    write(6);
    let data = import(&path).unwrap();
    assert_eq!((data.len(), row(&*data, 3)[0]), (4, 3.0 / 255.0));
    assert_eq!(data.label(3), Some(vec![0.0, 3.0, 6.0, 9.0, 12.0, 15.0]));
    write(7);
    let error = import(&path).err().unwrap();
    assert!(
        error.contains("`labels` has the shape [2, 1, 2, 1, 1, 1, 7], expected 6 columns"),
        "{error}"
    );
}

#[test]
fn another_layout_is_refused() {
    let other = fixture("../dsprites/chunked.hdf5");
    let error = import(&other).err().unwrap();
    assert!(error.contains("holds no 3dshapes.h5"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("3dshapes.h5");
    std::fs::copy(&other, &path).unwrap();
    let error = import(&path).err().unwrap();
    assert!(error.contains("images"), "{error}");
}
