use super::*;
use crate::data::{Dataset, testing};
use crate::npz::NpzWriter;

/// Twelve images stand for the million.
static TINY: Publication = Publication {
    licence: "",
    citation: "",
    parts: &["all"],
    files: &[],
    import: |import| {
        convert(import, &["mpi3d_toy.npz"], &[[2, 1, 1, 1, 1, 2, 3], [1, 1, 1, 1, 1, 1, 4]])
    },
};

fn import(rows: usize) -> std::result::Result<Box<dyn Dataset>, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("any-name.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    let images: Vec<u8> = (0..rows * 12_288).map(|k| (k / 12_288) as u8 * 20).collect();
    file.array("images", &[rows, 64, 64, 3], &images).unwrap();
    file.finish().unwrap();
    testing::import(&TINY, &path)
}

#[test]
fn the_count_tells_the_release_and_the_row_the_values() {
    let data = import(12).unwrap();
    let sizes: Vec<_> = data.factors().iter().map(|factor| factor.size().unwrap()).collect();
    assert_eq!(sizes, [2, 1, 1, 1, 1, 2, 3]);
    assert_eq!(data.label(7), Some(vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    assert_eq!(data.find(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0]), Some(11));
    assert!(testing::row(&*data, 7).iter().all(|number| *number == 140.0 / 255.0));
    assert_eq!(import(4).unwrap().factors()[6].size(), Some(4));
    let error = import(5).err().unwrap();
    assert!(error.contains("[5, 64, 64, 3], expected 12 or 4 images of [64, 64, 3]"), "{error}");
}

#[test]
fn the_releases_have_their_published_counts() {
    assert_eq!(FINAL.iter().product::<usize>(), 1_036_800);
    assert_eq!(FIRST.iter().product::<usize>(), 460_800);
}
