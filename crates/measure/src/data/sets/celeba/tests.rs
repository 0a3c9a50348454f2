use std::path::Path;

use super::*;
use crate::data::storage::library::{import_to, open_at};
use crate::data::testing::assert_refused;
use crate::watch::Stage;

fn fixture() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/celeb_a")
}

/// The fixture with some of its files replaced.
fn import(changes: &[(&str, &str)]) -> std::result::Result<tempfile::TempDir, String> {
    let dir = tempfile::tempdir().unwrap();
    for name in ["img_align_celeba.zip", "list_attr_celeba.txt", "list_eval_partition.txt"] {
        std::fs::copy(fixture().join(name), dir.path().join(name)).unwrap();
    }
    for (name, text) in changes {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let target = dir.path().join("library/celeba");
    let done = import_to(&PUBLICATION, dir.path(), &target, true, &Stage::unwatched());
    done.map(|()| dir).map_err(|error| error.to_string())
}

#[test]
fn parts_are_ranges_and_attributes_factors() {
    let dir = import(&[]).unwrap();
    let open = |part: &str| open_at(&dir.path().join("library/celeba"), part).unwrap();
    let counts = ["all", "train", "validation", "test"].map(|part| open(part).len());
    assert_eq!(counts, [6, 3, 2, 1]);
    let all = open("all");
    assert_eq!((all.factors().len(), all.shape().to_string()), (40, "3x64x64".into()));
    assert_eq!(
        (all.factors()[0].name.as_str(), all.factors()[39].name.as_str()),
        ("5_o_Clock_Shadow", "Young")
    );
    // 000005.jpg -1  1  1 -1 -1 -1  1
    assert_eq!(all.label(4).unwrap()[..7], [-1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]);
    assert_eq!(open("validation").label(1), all.label(4));
}

#[test]
fn an_order_by_part_is_kept_within_the_part() {
    let mixed =
        "000001.jpg 2\n000002.jpg 0\n000003.jpg 1\n000004.jpg 0\n000005.jpg 0\n000006.jpg 2\n";
    let dir = import(&[("list_eval_partition.txt", mixed)]).unwrap();
    let open = |part: &str| open_at(&dir.path().join("library/celeba"), part).unwrap();
    let plain = import(&[]).unwrap();
    let plain = open_at(&plain.path().join("library/celeba"), "all").unwrap();
    let (train, test) = (open("train"), open("test"));
    assert_eq!((train.len(), test.len()), (3, 2));
    assert_eq!((train.label(2), test.label(0)), (plain.label(4), plain.label(0)));
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let text = std::fs::read_to_string(fixture().join("list_attr_celeba.txt")).unwrap();
    let refused = |name: &str, text: &str, part: &str| {
        assert_refused(import(&[(name, text)]), &[part]);
    };
    let attributes = "list_attr_celeba.txt";
    refused(attributes, &text.replacen('6', "7", 1), "line 8 is the last: 6 pictures");
    refused(attributes, &text.replacen('6', "5", 1), "line 8 is one more");
    refused(attributes, &text.replacen("Young", "Bald", 1), "line 2 should be the names");
    refused(attributes, &text.replacen("000003.jpg -1", "000003.jpg 0", 1), "line 5 should be");
    refused(attributes, &text.replacen("000003.jpg -1", "000003.jpg", 1), "line 5 should be");
    refused(attributes, &text.replacen("000003.jpg", "000009.jpg", 1), "000009.jpg");
    refused(attributes, "", "line 0 should be how many");
    refused(attributes, &"9".repeat(40_000), "a line that does not end");
    let partition = "list_eval_partition.txt";
    refused(partition, "000001.jpg 0\n", "line 1 is the last");
    refused(partition, "000001.jpg 3\n", "line 1 should be 000001.jpg and 0, 1 or 2");
    refused("img_align_celeba.zip", "PK", "no readable zip archive");
}
