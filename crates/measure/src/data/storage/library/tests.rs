use super::*;
use crate::data::{Dataset, Range, Steps, Transition};
use crate::factors::Factor;

const FILE: PublishedFile = PublishedFile {
    name: "two.raw",
    bytes: 8,
    checksum: Checksum::Md5("2fe7f3a9a6ac9a0cd0ec2b0e3b5e0d5a"),
    address: "",
};

const PACKED: PublishedFile = PublishedFile {
    name: "five.raw",
    bytes: 5,
    checksum: Checksum::Md5("5d41402abc4b2a76b9719d911017c592"),
    address: "",
};

static PUBLICATION: Publication = Publication {
    licence: "none",
    citation: "nobody",
    parts: &["all", "other"],
    files: &[FILE, PACKED],
    import: copy,
};

/// Two rows of 1x2 grey pixels and two of a factor; refuses the letter x.
fn copy(import: &mut Import) -> Result<()> {
    let path = import.file("two.raw")?;
    let bytes = fs::read(&path).map_err(|source| Error::io("read", &path, &source))?;
    let factors = vec![Factor::discrete("a", [0.0, 1.0]), Factor::continuous("b")];
    let mut part = import.part("all", [1, 2, 1], false, factors)?;
    for (row, bytes) in bytes.chunks(2).enumerate() {
        if bytes.contains(&b'x') {
            return Err(Error::format(&path, "holds an x"));
        }
        part.row(bytes, &[(row % 2) as f32, row as f32 / 3.0])?;
    }
    part.steps(Steps {
        follows: vec![true, false, true, false],
        targets: vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        actions: vec![],
    });
    part.range("other", 1..3);
    part.finish()
}

#[test]
fn what_is_imported_is_read_and_what_fails_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (library, file) = (dir.path().join("library"), dir.path().join("two.raw"));
    let target = library.join("two");
    let import_from = |from: &Path, unchecked: bool| {
        import_to(&PUBLICATION, from, &target, unchecked, &Stage::unwatched())
    };
    let litter = || fs::read_dir(&library).map_or(0, Iterator::count);

    fs::write(&file, b"abcx").unwrap();
    let error = import_from(&file, false).unwrap_err().to_string();
    assert!(error.contains("has 4 bytes and the published file has 8"), "{error}");
    fs::write(&file, b"abcdefgh").unwrap();
    let error = import_from(&file, false).unwrap_err().to_string();
    assert!(error.contains("is not the published file: its checksum is"), "{error}");
    fs::write(&file, b"abcdefgx").unwrap();
    let error = import_from(&file, true).unwrap_err().to_string();
    assert!(error.ends_with("holds an x"), "{error}");
    let error = import_from(&library, true).unwrap_err().to_string();
    assert!(
        error.contains("holds no two.raw; this data set is made of two.raw, five.raw"),
        "{error}"
    );
    assert_eq!(litter(), 0);

    fs::write(&file, [0, 255, 255, 0, 51, 0, 0, 255]).unwrap();
    import_from(dir.path(), true).unwrap();
    let data = part::read(&target, "all").unwrap();
    assert_eq!((data.len(), data.shape().range, litter()), (4, Range::Unit, 1));
    let mut row = [f32::NAN; 2];
    data.observe(2, &mut row);
    assert_eq!(row, [0.2, 0.0]);
    assert_eq!((data.factors()[0].size(), data.factors()[1].size()), (Some(2), None));
    assert_eq!(data.label(3), Some(vec![1.0, 1.0]));
    let step = Transition { index: 3, targets: vec![0.0, 1.0], action: vec![] };
    assert_eq!((data.next(1), data.next(2)), (None, Some(step)));

    // Rows 1 and 2 of the same file; the row that followed the last is not among them.
    let other = part::read(&target, "other").unwrap();
    other.observe(1, &mut row);
    assert_eq!((other.len(), row, other.next(1)), (2, [0.2, 0.0], None));
    assert_eq!(other.label(0), Some(vec![1.0, 1.0 / 3.0]));
    assert!(!target.join("other.bin").exists());

    // Again, over the first; then with its .bin cut.
    fs::write(&file, [0, 255, 255, 0, 255, 0, 0, 255]).unwrap();
    import_from(&file, true).unwrap();
    assert_eq!(part::read(&target, "all").unwrap().shape().range, Range::Binary);
    assert_eq!(litter(), 1);
    fs::write(target.join("all.bin"), [0; 7]).unwrap();
    let error = part::read(&target, "all").err().unwrap().to_string();
    assert!(error.contains("is damaged") && error.contains("import the data set again"), "{error}");
}

#[test]
fn a_packed_file_is_checked_by_what_it_unpacks_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("five.raw.gz");
    let import_of = |text: &str, cut: usize| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        fs::write(&path, &packed[..packed.len() - cut]).unwrap();
        let (target, watch) = (dir.path().join("library/five"), Stage::unwatched());
        let mut import = Import::new(&PUBLICATION, dir.path(), &target, false, &watch).unwrap();
        import.find("five.raw").map_err(|error| error.to_string())
    };
    assert_eq!(import_of("hello", 0).unwrap().unwrap(), path);
    let error = import_of("hellO", 0).unwrap_err();
    assert!(error.contains("is not the published file"), "{error}");
    let error = import_of("hello and more", 0).unwrap_err();
    assert!(error.contains("has 6 bytes when unpacked and the published file has 5"), "{error}");
    let error = import_of("hello", 9).unwrap_err();
    assert!(error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn a_file_of_another_name_is_checked_as_what_it_is_taken_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.raw");
    fs::write(&path, "hello").unwrap();
    let (target, watch) = (dir.path().join("library/five"), Stage::unwatched());
    let mut import = Import::new(&PUBLICATION, &path, &target, false, &watch).unwrap();
    assert_eq!(import.one_of(&["five.raw"]).unwrap(), path);
    let error = import.one_of(&["two.raw"]).unwrap_err().to_string();
    assert!(error.contains("has 5 bytes and the published file has 8"), "{error}");
    let error = import.one_of(&["two.npz"]).unwrap_err().to_string();
    assert!(error.contains("mine.raw: holds no two.npz"), "{error}");
}

#[test]
fn a_data_set_that_is_not_there_says_how_to_get_it() {
    let name = "no-such-data-set-was-imported";
    let error = open(name, &PUBLICATION, &Table::new()).err().unwrap().to_string();
    assert!(error.contains(&format!("`unbraid data import {name} --from")), "{error}");
    let other = "part = \"third\"".parse().unwrap();
    let error = open(name, &PUBLICATION, &other).err().unwrap().to_string();
    assert!(error.contains("the parts are all, other"), "{error}");
}

fn imported_to(library: &Path) -> PathBuf {
    let (target, file) = (library.join("two"), library.join("two.raw"));
    files::create_directory(library).unwrap();
    fs::write(&file, b"abcdefgh").unwrap();
    import_to(&PUBLICATION, &file, &target, true, &Stage::unwatched()).unwrap();
    target
}

/// Every bit of every file, when a part of it is opened.
#[test]
fn a_flipped_bit_of_an_import_is_found_when_it_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let target = imported_to(dir.path());
    let whole = open_at(&target, "all").unwrap();
    let rows = |data: &dyn Dataset| crate::data::observations(data, &[0, 1, 2, 3]);
    let (expected, values) = (rows(&*whole), whole.factors().len());
    for name in ["about.toml", "all.npz", "all.bin"] {
        let path = target.join(name);
        let bytes = fs::read(&path).unwrap();
        // Some of the large table; a prime, so that all places in a byte have their turn.
        for bit in (0..bytes.len() * 8).step_by(if bytes.len() > 1000 { 7 } else { 1 }) {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            // A bit of the word "checksum" itself does no harm.
            if let Ok(data) = open_at(&target, "all") {
                assert_eq!((rows(&*data), data.factors().len()), (expected.clone(), values));
                assert_eq!(name, "about.toml", "bit {bit}");
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert!(Sums::read(&target).unwrap().is_some());
    open_at(&target, "other").unwrap();
}

#[test]
fn an_import_of_an_earlier_version_has_no_sums_and_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let target = imported_to(dir.path());
    fs::write(target.join(ABOUT), "format = 1\nname = \"two\"\n").unwrap();
    assert_eq!(Sums::read(&target).unwrap(), None);
    open_at(&target, "all").unwrap();
}

#[test]
fn what_a_killed_import_leaves_is_put_right_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let target = imported_to(dir.path());
    // Killed between two renames, with half of another beside it.
    fs::rename(&target, former(&target)).unwrap();
    let half = dir.path().join(".two.tmp-1");
    files::create_directory(&half).unwrap();
    heal(&target);
    open_at(&target, "all").unwrap();
    assert!(!half.exists() && !former(&target).exists());
    // Killed before the former one was removed.
    files::create_directory(former(&target)).unwrap();
    imported_to(dir.path());
    assert!(!former(&target).exists());
    open_at(&target, "all").unwrap();
    // Two at a time: the second is told of the first.
    let held = Lock::beside(&target, "importing").unwrap();
    let file = dir.path().join("two.raw");
    let error = import_to(&PUBLICATION, &file, &target, true, &Stage::unwatched()).unwrap_err();
    assert!(error.to_string().contains("importing; wait until it ends"), "{error}");
    drop(held);
}
