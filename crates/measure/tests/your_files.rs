//! Files of users, in every form they come in: the numbers that are in them, or a refusal that names the
//! file or the setting; never a panic.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use toml::Table;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::npz::NpzWriter;

/// A file of this content in a directory of its own.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (dir, path)
}

fn open(name: &str, path: &Path, more: &str) -> Result<Box<dyn Dataset>, unbraid_measure::Error> {
    let settings: Table = format!("path = '{}'\n{more}", path.display()).parse().unwrap();
    Ok(data::open(name, &settings)?.0)
}

/// Whatever is opened is whole, and whatever is refused says of what.
fn check(opened: Result<Box<dyn Dataset>, unbraid_measure::Error>) -> Result<(), TestCaseError> {
    match opened {
        Ok(data) => {
            let rows: Vec<usize> = (0..data.len()).collect();
            let seen = data::observations(&*data, &rows);
            prop_assert!(!rows.is_empty() && seen.iter().all(|number| number.is_finite()));
            let known = (0..data.len()).filter(|row| data.is_labelled(*row)).count();
            prop_assert_eq!(known + data.unlabelled(), data.len());
        }
        Err(error) => {
            let text = error.to_string();
            prop_assert!(text.contains("mine") || text.contains("`data."), "{text}");
        }
    }
    Ok(())
}

/// How a table is written.
#[derive(Clone, Debug)]
struct Style {
    separator: char,
    comma: bool,
    quoted: bool,
    ending: &'static str,
}

fn style() -> impl Strategy<Value = Style> {
    let separator = select(vec![',', ';', '\t', '|']);
    let ending = select(vec!["\n", "\r\n"]);
    (separator, any::<bool>(), any::<bool>(), ending)
        .prop_map(|(separator, comma, quoted, ending)| Style { separator, comma, quoted, ending })
}

impl Style {
    /// A number; one with a comma needs quotes between commas.
    fn number(&self, number: f64) -> String {
        let text = match self.comma {
            true => format!("{number:.4}").replace('.', ","),
            false => format!("{number:.4}"),
        };
        match self.quoted || (self.comma && self.separator == ',') {
            true => format!("\"{text}\""),
            false => text,
        }
    }

    fn line(&self, cells: impl Iterator<Item = String>) -> String {
        let cells: Vec<String> = cells.collect();
        cells.join(&self.separator.to_string()) + self.ending
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_come_back_in_their_units_whatever_parts_them(
        style in style(),
        table in (1_usize..5).prop_flat_map(|width| prop::collection::vec(
            prop::collection::vec(-1e6_f64..1e6, width), 2..30)),
        scale in select(vec!["standard", "robust", "none"]),
    ) {
        let width = table[0].len();
        let names: Vec<String> = (0..width).map(|k| format!("sensor {k}")).collect();
        let mut text = style.line(names.iter().map(|name| format!("\"{name}\"")));
        for row in &table {
            text += &style.line(row.iter().map(|number| style.number(*number)));
        }
        let (_dir, path) = file("mine.csv", text.as_bytes());
        let more = format!("columns = {names:?}\nscale = '{scale}'");
        let data = open("table", &path, &more).unwrap();
        let rows: Vec<usize> = (0..table.len()).collect();
        let back = data::observations_in_units(&*data, &rows);
        for (row, numbers) in back.rows().into_iter().zip(&table) {
            for (found, written) in row.iter().zip(numbers) {
                let apart = (f64::from(*found) - written).abs();
                prop_assert!(apart <= 1.0, "{found} for {written} in {text}");
            }
        }
    }

    #[test]
    fn a_table_of_anything_is_opened_or_refused_by_name(
        cells in prop::collection::vec(prop::collection::vec(select(vec![
            "1", "2.5", "3,5", "-7", "", "NA", "nan", "inf", "word", "2024-01-02", "12:30", "1e400", "\"a\nb\"", "?", "é",
        ]), 3), 0..40),
        style in style(),
        reading in select(vec![
            "", "missing = 'drop'", "missing = 'impute'", "scale = 'none'\ncolumns = ['*']",
            "factors = ['a']", "missing = 'drop'\nepisode = 'b'", "words = 'counts'", "decimal = 'comma'",
        ]),
    ) {
        let mut text = style.line(["a", "b", "c"].map(String::from).into_iter());
        for row in &cells {
            text += &style.line(row.iter().map(ToString::to_string));
        }
        let (_dir, path) = file("mine.csv", text.as_bytes());
        check(open("table", &path, reading))?;
        let series = reading.replace("factors = ['a']", "source_columns = ['a']").replace("episode", "segment");
        check(open("mixing", &path, &format!("{series}\nsegment_length = 0")))?;
        check(open("mixing", &path, "segment_length = 2"))?;
    }

    #[test]
    fn noise_is_refused_by_name(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for ending in ["csv", "tsv", "parquet", "npz"] {
            let (_dir, path) = file(&format!("mine.{ending}"), &bytes);
            check(open("table", &path, ""))?;
            check(open("mixing", &path, "segment_length = 1"))?;
        }
    }

    #[test]
    fn a_damaged_parquet_is_opened_or_refused_by_name(
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6),
    ) {
        for name in ["pandas", "gap"] {
            let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/tables/{name}.parquet"));
            let mut bytes = std::fs::read(fixture).unwrap();
            for (place, byte) in &changes {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            let (_dir, path) = file("mine.parquet", &bytes);
            check(open("table", &path, "missing = 'impute'"))?;
        }
    }

    #[test]
    fn a_damaged_series_of_arrays_is_opened_or_refused_by_name(
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        numbers in prop::collection::vec(-1e9_f32..1e9, 12),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mine.npz");
        let mut writer = NpzWriter::create(&path).unwrap();
        writer.array("x", &[6, 2], &numbers).unwrap();
        writer.finish().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for (place, byte) in &changes {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        std::fs::write(&path, bytes).unwrap();
        check(open("mixing", &path, "segment_length = 3"))?;
    }

    #[test]
    fn a_folder_with_damaged_pictures_is_opened_or_refused_by_name(
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..20),
        cut in prop::option::of(any::<Index>()),
        fit in select(vec!["crop", "pad", "stretch"]),
        corrupt in select(vec!["refuse", "skip"]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mine");
        std::fs::create_dir(&folder).unwrap();
        for (k, ending) in ["png", "gif", "webp"].iter().enumerate() {
            let wide = 3 + 4 * k as u32;
            let path = folder.join(format!("{k}.{ending}"));
            image::RgbImage::from_fn(wide, 5, |x, y| image::Rgb([x as u8 * 20, y as u8, 9])).save(path).unwrap();
        }
        let path = folder.join("1.gif");
        let mut bytes = std::fs::read(&path).unwrap();
        for (place, byte) in &changes {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        std::fs::write(&path, bytes).unwrap();
        let more = format!("size = 4\nfit = '{fit}'\ncorrupt = '{corrupt}'\npattern = '{{n}}'");
        check(open("images", &folder, &more))?;
    }
}

/// Days are of the kind that their file says, and are not numbers.
#[test]
#[cfg(feature = "parquet")]
fn gaps_of_parquet_are_gaps_as_those_of_text() {
    let gap = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/gap.parquet");
    let refused = open("table", &gap, "").err().unwrap().to_string();
    assert!(refused.contains("column `a`") && refused.contains("rows have none"), "{refused}");
    let data = open("table", &gap, "missing = 'drop'").unwrap();
    assert!(data.about().remarks.iter().any(|said| said.contains("rows are dropped")));
}
