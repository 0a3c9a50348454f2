use super::*;
use crate::data::{Dataset, Range, Steps, Transition};
use crate::factors::Factor;
use crate::info::Info;

const FILE: PublishedFile = PublishedFile {
    name: "two.raw",
    bytes: 8,
    checksum: Checksum::Md5("2fe7f3a9a6ac9a0cd0ec2b0e3b5e0d5a"),
    address: "",
};

static PUBLICATION: Publication = Publication {
    licence: "none",
    citation: "nobody",
    parts: &["all", "other"],
    files: &[FILE],
    import: copy,
};

const SOURCE: Source = Source {
    info: Info { name: "two", title: "Two", summary: "", paper: "", page: "" },
    open: |given| open("two", &PUBLICATION, given),
    publication: Some(&PUBLICATION),
};

/// Two rows of 1x2 grey pixels and two of a factor; refuses the letter x.
fn copy(import: &mut Import) -> Result<()> {
    let path = import.file("two.raw")?;
    let bytes = fs::read(&path).map_err(|source| Error::io("read", &path, &source))?;
    let factors = vec![Factor::discrete("a", [0.0, 1.0]), Factor::continuous("b")];
    let mut part = import.part("all", [1, 2, 1], 255, factors)?;
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
    part.finish()
}

/// `UNBRAID_DATA_DIR` belongs to the process, so one test does all that needs it.
#[test]
fn what_is_imported_is_read_and_what_fails_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (library, file) = (dir.path().join("library"), dir.path().join("two.raw"));
    let target = library.join("two");
    let import_from = |from: &Path, unchecked: bool| {
        let publication = SOURCE.publication.unwrap();
        let watch = Watch::nobody();
        let mut import = Import::new(publication, from, &target, unchecked, &watch)?;
        (publication.import)(&mut import)?;
        import.finish("two")
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
    assert!(error.contains("holds no two.raw; this data set is made of two.raw"), "{error}");
    assert_eq!(litter(), 0);

    fs::write(&file, [0, 255, 255, 0, 51, 0, 0, 255]).unwrap();
    import_from(dir.path(), true).unwrap();
    let data = shelf::read(&target, "all").unwrap();
    assert_eq!((data.len(), data.shape().range, litter()), (4, Range::Unit, 1));
    let mut row = [f32::NAN; 2];
    data.observe(2, &mut row);
    assert_eq!(row, [0.2, 0.0]);
    assert_eq!((data.factors()[0].size(), data.factors()[1].size()), (Some(2), None));
    assert_eq!(data.label(3), Some(vec![1.0, 1.0]));
    let step = Transition { index: 3, targets: vec![0.0, 1.0], action: vec![] };
    assert_eq!((data.next(1), data.next(2)), (None, Some(step)));

    // Again, over the first; then with its .bin cut.
    fs::write(&file, [0, 255, 255, 0, 255, 0, 0, 255]).unwrap();
    import_from(&file, true).unwrap();
    assert_eq!(shelf::read(&target, "all").unwrap().shape().range, Range::Binary);
    assert_eq!(litter(), 1);
    fs::write(target.join("all.bin"), [0; 7]).unwrap();
    let error = shelf::read(&target, "all").err().unwrap().to_string();
    assert!(error.contains("disagree in length; import the data set again"), "{error}");
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
