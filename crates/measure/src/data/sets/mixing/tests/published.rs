use super::*;
use crate::npz::Npz;

/// What is written of these rows.
fn written(data: &dyn Dataset, rows: &[usize]) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("any name.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    assert!(data.write_published(rows, &mut file).unwrap());
    file.finish().unwrap();
    (dir, path.to_str().unwrap().into())
}

#[test]
fn what_is_written_has_the_published_arrays_and_is_read_as_it_was() {
    // The sources are written, even where the factors are their sizes.
    let given = "segments = 3\npoints = 40\nsources = 2\nobserved = 4\nuncentered = true";
    let data = data(&format!("{given}\nfactors = 'size'"));
    let all: Vec<usize> = (0..data.len()).collect();
    let (_dir, path) = written(&*data, &all);
    let mut file = Npz::open(&path).unwrap();
    let shapes = ["x", "s", "u", "m", "L"].map(|name| file.array(name).unwrap().shape);
    assert_eq!(shapes, [[120, 4], [120, 2], [120, 3], [3, 2], [3, 2]]);
    assert_eq!(file.names().len(), 5);
    let modulation = of(given).0;
    for (name, expected) in [("m", &modulation.mean), ("L", &modulation.spread)] {
        let expected: Vec<f32> = expected.iter().map(|number| *number as f32).collect();
        assert_eq!(file.array(name).unwrap().into_floats(), expected);
    }
    let again = self::data(&format!("path = {path:?}"));
    assert_eq!(rows_of(&*again), rows_of(&*self::data(given)));

    // What was read can be written, without what nobody knows.
    let (_dir, path) = written(&*again, &[5, 100]);
    let mut names = Npz::open(&path).unwrap().names();
    names.sort();
    assert_eq!(names, ["s", "u", "x"]);
    let two = rows_of(&*self::data(&format!("path = {path:?}")));
    assert_eq!(two, [5, 100].map(|row| rows_of(&*again)[row].clone()));
}

#[test]
fn a_part_is_written_too_and_other_data_have_no_such_form() {
    let settings = "segments = 3\npoints = 40\n[variant]\npart = 'test'".parse().unwrap();
    let (part, _) = crate::data::open("mixing", &settings).unwrap();
    let (_dir, path) = written(&*part, &[3, 7]);
    let again = data(&format!("path = {path:?}"));
    assert_eq!(rows_of(&*again), [3, 7].map(|row| rows_of(&*part)[row].clone()));

    let (squares, _) = crate::data::open("squares", &Table::new()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut file = NpzWriter::create(dir.path().join("a.npz")).unwrap();
    assert!(!squares.write_published(&[0], &mut file).unwrap());
}
