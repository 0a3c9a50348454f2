use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::npz::NpzWriter;

/// A name, a shape and numbers.
type Named<'a> = (&'a str, &'a [usize], &'a [f32]);

/// A file with these arrays of floats.
fn file(arrays: &[Named]) -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    for (name, shape, numbers) in arrays {
        writer.array(name, shape, numbers).unwrap();
    }
    writer.finish().unwrap();
    (dir, quoted(&path))
}

fn quoted(path: &Path) -> String {
    format!("path = {path:?}\n")
}

fn segment(data: &dyn Dataset, row: usize) -> usize {
    data.label(row).unwrap().iter().position(|v| *v == 1.0).unwrap()
}

fn segments(data: &dyn Dataset) -> Vec<usize> {
    (0..data.len()).map(|row| segment(data, row)).collect()
}

fn refusal(settings: &str) -> String {
    open(&settings.parse().unwrap()).err().unwrap().to_string()
}

/// Rows that are all different.
fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|k| (k * k) as f32 * 0.5).collect()
}

#[test]
fn the_published_form_is_read() {
    let (x, s) = (ramp(8), ramp(4));
    let hot = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let spare = [0.0; 4];
    let (_dir, path) = file(&[
        ("s", &[4, 1], &s),
        ("x", &[4, 2], &x),
        ("u", &[4, 2], &hot),
        ("m", &[2, 2], &spare),
        ("L", &[2, 2], &spare),
    ]);
    let data = data(&path);
    assert_eq!((data.len(), data.shape().to_string()), (4, "2 numbers".into()));
    assert_eq!((data.factors().len(), data.factors()[0].name.as_str()), (1, "s0"));
    assert_eq!(segments(&*data), [0, 0, 1, 1]);
    assert_eq!(both(&path).0.row(3).to_vec(), x[6..]);

    // A number per row, in one column or in none, and not counted from 0.
    for shape in [&[4, 1][..], &[4]] {
        let (_dir, path) = file(&[("x", &[4, 2], &x), ("u", shape, &[7.0, 3.0, 3.0, 7.0])]);
        assert_eq!(segments(&*super::data(&path)), [1, 0, 0, 1]);
        assert!(super::data(&path).factors().is_empty());
    }
}

#[test]
fn the_form_of_small_integers_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("seed0.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    writer.array("x", &[4, 2], &ramp(8)).unwrap();
    writer.array("s", &[4, 2], &ramp(8)).unwrap();
    writer.array("segment", &[4], &[0_i16, 0, 1, 1]).unwrap();
    writer.finish().unwrap();
    assert_eq!(segments(&*data(&quoted(&path))), [0, 0, 1, 1]);
}

#[test]
fn a_time_series_is_cut_and_its_rest_dropped() {
    let x = ramp(22);
    let (_dir, path) = file(&[("x", &[11, 2], &x)]);
    let data = data(&format!("{path}segment_length = 3"));
    assert_eq!(segments(&*data), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(data.shape().range, Range::Real);
    assert!(refusal(&path).contains("set `data.segment_length`"), "{}", refusal(&path));

    // A .npy file is observations alone.
    let dir = tempfile::tempdir().unwrap();
    let (npz, npy) = (dir.path().join("a.npz"), dir.path().join("mine.npy"));
    let mut writer = NpzWriter::create(&npz).unwrap();
    writer.array("x", &[11, 2], &x).unwrap();
    writer.finish().unwrap();
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&npz).unwrap()).unwrap();
    let mut member = archive.by_name("x.npy").unwrap();
    std::io::copy(&mut member, &mut std::fs::File::create(&npy).unwrap()).unwrap();
    let data = super::data(&format!("{}segment_length = 5", quoted(&npy)));
    assert_eq!((data.len(), segment(&*data, 9)), (10, 1));
}

#[test]
fn few_segments_and_short_ones_are_read() {
    let (_dir, path) = file(&[("x", &[6, 2], &ramp(12)), ("when", &[6], &[5.0; 6])]);
    let whole = data(&format!("{path}segment_length = 6"));
    assert_eq!((whole.len(), whole.label(5)), (6, Some(vec![1.0])));
    assert_eq!(data(&format!("{path}segment = 'when'")).label(0), Some(vec![1.0]));
    assert_eq!(segments(&*data(&format!("{path}segment_length = 1"))), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn arrays_under_the_names_of_other_data_are_read() {
    let small = "segments = 3\npoints = 40";
    let (observed, sources) = both(small);
    let (_dir, path) = file(&[
        ("observations", &[120, 5], observed.as_slice().unwrap()),
        ("values", &[120, 5], sources.as_slice().unwrap()),
    ]);
    let again = format!("{path}segment_length = 40\nscale = 'none'");
    assert_eq!(both(&again), (observed, sources));
    assert_eq!(segments(&*data(&again)), segments(&*data(small)));
}

#[test]
fn a_file_can_be_whitened_and_ones_and_zeros_are_seen() {
    let (observed, _) = both("segments = 3\npoints = 40");
    let (_dir, path) = file(&[("x", &[120, 5], observed.as_slice().unwrap())]);
    let (white, _) = both(&format!("{path}segment_length = 40\nwhiten = true"));
    assert!((covariance(white.view())[[2, 2]] - 1.0).abs() < 1e-4);

    let (_dir, path) = file(&[("x", &[4, 2], &[0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0])]);
    assert_eq!(data(&format!("{path}segment_length = 2")).shape().range, Range::Binary);
}

#[test]
fn files_without_anything_to_learn_are_refused() {
    let x = ramp(12);
    let twice: Vec<f32> = (0..120).map(|k| (k / 2 % 7 * (k / 2)) as f32).collect();
    let mut holes = x.clone();
    holes[5] = f32::NAN;
    let mut still = x.clone();
    still.iter_mut().skip(1).step_by(2).for_each(|v| *v = 4.0);
    let segment = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let cases: [(&[Named], &str, &str); 10] = [
        (&[("x", &[6, 2], &x)], "segment_length = 9", "is 9, and the file has 6 rows only"),
        (&[("x", &[6, 2], &x)], "segment = 'when'", "has no array `when`; it holds x"),
        (&[("x", &[6, 2], &x)], "source_columns = ['s']", "arrays have none; leave it out"),
        (&[("x", &[6, 2], &still)], "segment_length = 3", "(counted from 0) never changes"),
        (&[("x", &[6, 2], &holes)], "segment_length = 3", "has NaN in row 2"),
        (&[("x", &[12], &x)], "segment_length = 3", "expected [time, channels]"),
        (&[("z", &[6, 2], &x)], "segment_length = 3", "has no array `x` of what is observed"),
        (&[("x", &[6, 2], &x), ("s", &[5, 1], &[0.0; 5])], "segment_length = 3", "`s` has 5 rows"),
        (&[("x", &[3, 4], &x), ("segment", &[6], &segment)], "", "has segments of the shape [6]"),
        (&[("x", &[6, 2], &x), ("u", &[6, 2], &x)], "", "row 0 is not a single 1 among zeros"),
    ];
    for (arrays, settings, words) in cases {
        let (_dir, path) = file(arrays);
        let error = refusal(&format!("{path}{settings}"));
        assert!(error.contains(words), "{words}: {error}");
    }
    let (_dir, path) = file(&[("x", &[60, 2], &twice)]);
    let error = refusal(&format!("{path}segment_length = 20\nwhiten = true"));
    assert!(error.contains("fewer directions"), "{error}");
    let (_dir, path) = file(&[("x", &[4, 2], &x[..8]), ("segment", &[4], &[0.0, 0.5, 1.0, 1.0])]);
    let error = refusal(&path);
    assert!(error.contains("segments are whole numbers"), "{error}");
}
