//! Files that are damaged, cut or lie about themselves: an error, never a panic, and no memory that
//! the file does not pay for. Files by pandas and polars: the columns that they were made of.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::tables::Table;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

/// A sound file of each format, by extension.
fn sound() -> Vec<(&'static str, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    file.array("codes", &[4, 2], &[0.5f32, 1.0, -2.0, 3.0, 4.0, 0.0, 1.0, 1.5]).unwrap();
    file.strings("names", &["a".into(), "b".into()]).unwrap();
    file.finish().unwrap();
    let read = |path: PathBuf| std::fs::read(path).unwrap();
    let mut files = vec![
        ("npz", read(path)),
        ("npy", read(fixture("words.npy"))),
        ("csv", b"x,shape\n1.5,heart\n-2,\"a, b\"\n".to_vec()),
    ];
    if cfg!(feature = "parquet") {
        files.push(("parquet", read(fixture("pandas.parquet"))));
        files.push(("parquet", read(fixture("polars.parquet"))));
    }
    files
}

fn read(extension: &str, bytes: &[u8]) -> Result<Table, unbraid_measure::Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a").with_extension(extension);
    std::fs::write(&path, bytes).unwrap();
    Table::read(&path, &["codes"])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        for (extension, mut bytes) in sound() {
            for (place, byte) in &changes {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            if let Some(cut) = &cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            // Whatever comes back is a table of equal columns, or an error with words.
            match read(extension, &bytes) {
                Ok(table) => {
                    let rows = table.rows();
                    prop_assert!(table.columns.iter().all(|column| column.numbers.len() == rows));
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for extension in ["npz", "npy", "csv", "parquet"] {
            let _ = read(extension, &bytes);
        }
    }

    #[test]
    fn a_header_that_lies_never_panics(
        shape in prop::collection::vec(prop::sample::select(vec![0u64, 1, 2, 1 << 20, 1 << 40, u64::MAX]), 0..4),
        kind in prop::sample::select(vec!["<f4", "<f8", "|u1", "<i8", "|b1", "<U3", "|O", "<c8", "<f2"]),
    ) {
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let header = format!(
            "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", shape.join(", ")
        );
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend([0; 24]);
        let _ = read("npy", &bytes);
    }
}

#[test]
#[cfg(feature = "parquet")]
fn files_of_pandas_and_polars_have_their_columns() {
    for file in ["pandas.parquet", "polars.parquet"] {
        let table = Table::read(&fixture(file), &[]).unwrap();
        let column = |name: &str| {
            let found = table.columns.iter().find(|column| column.name.as_deref() == Some(name));
            found.unwrap_or_else(|| panic!("{file} has no {name}")).clone()
        };
        assert_eq!(column("size").numbers, [0.5, 1.5, 2.5, 0.5, 1.5, 2.5], "{file}");
        assert!((column("angle").numbers[1] - 0.2).abs() < 1e-6 && !column("angle").whole);
        assert_eq!((column("count").numbers[0], column("count").whole), (3.0, true));
        assert_eq!(column("flag").numbers[..2], [1.0, 0.0], "{file}");
        let shape = column("shape");
        assert_eq!((&shape.numbers[..], shape.words), (&[1.0, 2.0, 1.0, 0.0, 2.0, 1.0][..], true));
    }
}

#[test]
#[cfg(feature = "parquet")]
fn missing_values_and_lists_are_refused_with_the_column() {
    let error = |file: &str| Table::read(&fixture(file), &[]).unwrap_err().to_string();
    assert!(
        error("gap.parquet").contains("column `a` has missing values"),
        "{}",
        error("gap.parquet")
    );
    assert!(
        error("lists.parquet").contains("holds lists or records"),
        "{}",
        error("lists.parquet")
    );
}
