use super::*;
use crate::data::testing::assert_refused;

const TEXT: &str = "time,left,right,truth,segment\n\
                    0,0.5,1,2,rest\n1,0.25,2,-3,rest\n2,-1,3,4,task\n3,-2,5,-5,task\n";

fn read(text: &str, more: &str) -> Result<Box<dyn Dataset>> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.csv");
    std::fs::write(&path, text).unwrap();
    Ok(open(&format!("path = {path:?}\n{more}").parse().unwrap())?.0)
}

#[test]
fn columns_are_observed_or_sources_or_the_segment() {
    let more = "ignore = ['time']\nsource_columns = ['truth']\nscale = 'none'";
    let data = read(TEXT, more).unwrap();
    let expected = [
        [vec![0.5, 1.0], vec![2.0], vec![1.0, 0.0]],
        [vec![0.25, 2.0], vec![-3.0], vec![1.0, 0.0]],
        [vec![-1.0, 3.0], vec![4.0], vec![0.0, 1.0]],
        [vec![-2.0, 5.0], vec![-5.0], vec![0.0, 1.0]],
    ];
    assert_eq!(rows_of(&*data), expected);
    assert_eq!(data.factors()[0].name, "truth");
    let sized = read(TEXT, &format!("{more}\nfactors = 'size'")).unwrap();
    assert_eq!((rows_of(&*sized)[1][1][0], sized.factors()[0].name.as_str()), (3.0, "size-truth"));

    // Another column as the segment, or a length.
    let data = read(TEXT, "ignore = ['segment', 'truth']\nsegment = 'time'").unwrap();
    assert_eq!((data.shape().channels, data.label(3)), (2, Some(vec![0.0, 0.0, 0.0, 1.0])));
    assert!(data.factors().is_empty());
    let data = read(TEXT, "segment_length = 3").unwrap();
    assert_eq!((data.len(), data.shape().channels, data.label(2)), (3, 4, Some(vec![1.0])));
}

#[test]
fn mistakes_are_named() {
    let plain = "a,b\n1,2\n3,4\n";
    for (text, more, words) in [
        (TEXT, "segment = 'segmnt'", "did you mean `segment`?"),
        (TEXT, "source_columns = ['trth']", "did you mean `truth`?"),
        (TEXT, "source_columns = ['segment']", "which is no source"),
        (plain, "", "does not say to which segment a row belongs"),
        (plain, "segment_length = 1\nignore = ['a', 'b']", "has no column left to observe"),
        (
            "a,b\n1,nan\n2,3\n3,5\n",
            "segment_length = 1",
            "line 2, column `b` has `nan`, which is no value",
        ),
        ("a,b\n1,x\n2,y\n", "segment_length = 1\ncolumns = ['*']", "column `b` holds words"),
        ("a,b\n1,x\n2,5\n", "segment_length = 1", "line 2 has `x`, which is no number"),
        ("a,segment\n1,0.5\n2,1\n", "", "has the segment 0.5 in row 0"),
    ] {
        assert_refused(read(text, more), &[words]);
    }
}

#[test]
fn channels_are_brought_to_one_scale() {
    let rows: Vec<String> =
        (0..50).map(|k| format!("{},{}", k * k % 47 * 1000, k * k % 43)).collect();
    let series = rows.join("\n") + "\n";
    let data = read(&format!("a,b\n{series}"), "segment_length = 20").unwrap();
    assert_eq!((data.len(), data.about().remarks.len()), (40, 1));
    assert!(data.about().remarks[0].starts_with("10 of 50 rows at the end fill no segment"));
    let seen = crate::data::observations(&*data, &(0..40).collect::<Vec<_>>());
    assert!(seen.iter().all(|number| number.abs() < 3.0));
    let units = crate::data::in_units(&*data, seen);
    assert!((units[[3, 0]] - 9000.0).abs() < 1e-2, "{units}");
    // Ones and zeros have a likelihood of their own, and sources may be known of some rows only.
    let bits = "a,b,s\n0,1,0.5\n1,1,\n1,0,0.25\n0,1,2\n";
    let bits = read(bits, "segment_length = 2\nsource_columns = ['s']").unwrap();
    assert_eq!((bits.shape().range, bits.unlabelled()), (Range::Binary, 1));
}
