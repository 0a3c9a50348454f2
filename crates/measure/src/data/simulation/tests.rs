//! On `pong`, whose published arrays have a column more than it has factors.

use crate::data::testing::row;
use crate::data::{Dataset, find};
use crate::npz::{Npz, NpzWriter, Numbers};

fn pong(part: &str) -> Box<dyn Dataset> {
    let settings = format!("frames = 400\npart = '{part}'").parse().unwrap();
    (find("pong").unwrap().open)(&settings).unwrap().0
}

#[test]
fn a_triplet_is_a_mixture_of_two_frames_of_its_sequence() {
    let (data, val) = (pong("val_triplets"), pong("val"));
    let frames: Vec<_> = (0..val.len()).map(|row| val.label(row).unwrap()).collect();
    for number in 0..40 {
        let triplet = data.triplet(number).unwrap();
        assert_eq!(triplet.rows, [3 * number, 3 * number + 1, 3 * number + 2]);
        let [first, second, mixed] = triplet.rows.map(|row| data.label(row).unwrap());
        assert!(frames.contains(&first) && frames.contains(&second) && first != second);
        assert!(triplet.from_second.contains(&true));
        assert_eq!(triplet.from_second[5..], [false, false], "nobody intervenes on scores");
        for (k, from_second) in triplet.from_second.iter().enumerate() {
            assert_eq!(mixed[k], if *from_second { second[k] } else { first[k] });
        }
    }
    assert!(data.triplet(40).is_none() && val.triplet(0).is_none() && data.next(0).is_none());
}

/// The published file of these rows, if there is one.
fn written(data: &dyn Dataset, rows: &[usize]) -> Option<(tempfile::TempDir, Npz)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("part.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    let done = data.write_published(rows, &mut file).unwrap();
    file.finish().unwrap();
    done.then(|| (dir, Npz::open(&path).unwrap()))
}

#[test]
fn a_sequence_is_published_in_its_units_with_all_columns() {
    let data = pong("val");
    let rows: Vec<usize> = (10..30).collect();
    let (_dir, mut file) = written(&*data, &rows).unwrap();
    let keys = file.strings("keys").unwrap();
    assert_eq!(keys[..3], ["ball_vel_dir", "ball_vel_magn", "ball_x"]);
    let latents = file.array("latents").unwrap();
    assert_eq!(latents.shape, [20, 8]);
    let (latents, values) = (latents.into_floats(), data.label(11).unwrap());
    assert_eq!(latents[8..10], [values[0], 2.0]);
    assert_eq!(latents[10], values[1] * 16.0 + 16.0);
    assert_eq!(latents[15], values[6]);
    let targets = file.array("targets").unwrap();
    assert_eq!(targets.shape, [19, 8]);
    let targets = targets.into_floats();
    for (row, targets) in rows.iter().zip(targets.chunks_exact(8)) {
        let expected = data.next(*row).unwrap().targets;
        assert_eq!((targets[0], targets[1], &targets[2..]), (expected[0], 0.0, &expected[1..]));
    }
    let images = file.array("images").unwrap();
    assert_eq!(images.shape, [20, 32, 32, 4]);
    let Numbers::Bytes(bytes) = images.numbers else { panic!("images are bytes") };
    let frame = row(&*data, 10);
    assert!((0..4096).all(|i| f32::from(bytes[i]) / 255.0 == frame[i % 4 * 1024 + i / 4]));
}

#[test]
fn single_frames_and_triplets_have_their_own_targets_and_gaps_are_not_published() {
    let (_dir, mut file) = written(&*pong("val_indep"), &[3, 8, 9]).unwrap();
    assert_eq!(file.array("targets").unwrap().into_floats(), [1.0; 24]);
    let data = pong("val_triplets");
    let (_dir, mut file) = written(&*data, &[3, 4, 5]).unwrap();
    assert_eq!(file.shape("images").unwrap(), [1, 3, 32, 32, 4]);
    assert_eq!(file.shape("latents").unwrap(), [1, 3, 8]);
    let mask = data.triplet(1).unwrap().from_second;
    let targets = file.array("targets").unwrap().into_floats();
    assert_eq!((targets[0] == 1.0, targets[1], targets[2] == 1.0), (mask[0], 0.0, mask[1]));
    for (part, rows) in [("train", [3, 5, 6]), ("val_triplets", [4, 5, 6])] {
        assert!(written(&*pong(part), &rows).is_none(), "{part}");
    }
}
