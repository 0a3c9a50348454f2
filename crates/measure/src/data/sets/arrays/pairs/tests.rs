use super::super::open;
use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Sampler, Supervision, Window};
use crate::npz::NpzWriter;
use crate::rng::Rng;

/// A file of two pairs of 1x2 pixels, with what else `fill` adds.
fn file(dir: &tempfile::TempDir, fill: impl FnOnce(&mut NpzWriter)) -> String {
    let path = dir.path().join("pairs.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    file.array("before", &[2, 1, 2], &[0_u8, 10, 20, 30]).unwrap();
    file.array("after", &[2, 1, 2], &[40_u8, 50, 60, 255]).unwrap();
    fill(&mut file);
    file.finish().unwrap();
    format!("path = {path:?}")
}

fn read(fill: impl FnOnce(&mut NpzWriter)) -> Result<Box<dyn Dataset>> {
    let dir = tempfile::tempdir().unwrap();
    Ok(open(&file(&dir, fill).parse().unwrap())?.0)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn pairs_are_rows_in_turn_and_named_opposites_lead_back() {
    let data = read(|file| {
        file.array("actions", &[2], &[1_i64, 2]).unwrap();
        file.strings("action_names", &words(&["x+", "y+", "x-", "y-"])).unwrap();
        file.array("values", &[2, 2], &[0_i32, 0, 1, 1]).unwrap();
        file.array("values_after", &[2, 2], &[0_i32, 1, 0, 1]).unwrap();
        file.strings("names", &words(&["x", "y"])).unwrap();
    })
    .unwrap();
    assert_eq!((data.len(), data.actions().len()), (4, 4));
    let seen: Vec<f32> = (0..4).map(|k| (row(&*data, k)[0] * 255.0).round()).collect();
    assert_eq!(seen, [0.0, 40.0, 20.0, 60.0]);
    assert_eq!(data.label(3), Some(vec![0.0, 1.0]));
    let (there, back) = (data.next(2).unwrap(), data.next(3).unwrap());
    assert_eq!((there.index, back.index), (3, 2));
    assert_eq!((there.action, back.action), (vec![0.0, 0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0, 0.0]));
    assert_eq!((there.targets, back.targets), (vec![1.0, 0.0], vec![1.0, 0.0]));
    let transition = Supervision::Actions(Window::TRANSITION);
    assert!(Sampler::new(&*data, transition, false, Rng::new(0)).is_ok());
}

#[test]
fn rows_with_a_single_one_are_actions_too_and_lead_one_way() {
    let data =
        read(|file| file.array("action", &[2, 3], &[0.0_f32, 0.0, 1.0, 1.0, 0.0, 0.0]).unwrap())
            .unwrap();
    assert_eq!(data.actions(), ["action-1", "action-2", "action-3"]);
    assert_eq!(data.next(0).unwrap().action, [0.0, 0.0, 1.0]);
    assert_eq!((data.next(1), data.next(0).unwrap().targets), (None, vec![]));
    assert!(data.factors().is_empty());
}

#[test]
fn pairs_that_do_not_fit_are_refused() {
    assert_refused(read(|_| ()), &["has pairs and no array `actions`"]);
    let actions = |numbers: [f32; 2]| read(|file| file.array("actions", &[2], &numbers).unwrap());
    for numbers in [[0.5, 1.0], [-1.0, 0.0], [f32::NAN, 0.0], [0.0, 1e9]] {
        assert_refused(actions(numbers), &["entries that are no action"]);
    }
    let shape = |shape: &[usize]| {
        read(|file| file.array("actions", shape, &vec![1_u8; shape.iter().product()]).unwrap())
    };
    assert_refused(shape(&[3]), &["has the shape [3] and there are 2 pairs"]);
    assert_refused(shape(&[2, 2]), &["a row with a single 1"]);
    let names = read(|file| {
        file.array("actions", &[2], &[0_u8, 3]).unwrap();
        file.strings("action_names", &words(&["x+", "x-"])).unwrap();
    });
    assert_refused(names, &["has 2 names", "has 4 actions"]);
    let values = read(|file| {
        file.array("actions", &[2], &[0_u8, 1]).unwrap();
        file.array("values", &[2], &[0_u8, 1]).unwrap();
    });
    assert_refused(values, &["add `values_after`"]);

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("half.npz");
    let mut half = NpzWriter::create(&path).unwrap();
    half.array("before", &[1, 1, 2], &[0_u8; 2]).unwrap();
    half.finish().unwrap();
    let half = open(&format!("path = {path:?}").parse().unwrap());
    assert_refused(half, &["one of the arrays `before` and `after`; pairs need both"]);
}
