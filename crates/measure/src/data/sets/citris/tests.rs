use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Transition, Triplet};
use crate::npz::NpzWriter;

/// A folder for the files of one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Four frames of 1x2 pixels with four channels and two factors, and what `more` adds.
    fn pong(&self, name: &str, targets: &[usize], more: impl FnOnce(&mut NpzWriter)) {
        let mut file = NpzWriter::create(self.0.path().join(name)).unwrap();
        let images: Vec<u8> = (0..32).collect();
        file.array("images", &[4, 1, 2, 4], &images).unwrap();
        file.array("latents", &[4, 2], &[0.5_f32, 1.0, 1.5, 1.0, 2.5, 1.0, 3.5, 1.0]).unwrap();
        let numbers: Vec<f32> = (0..targets.iter().product()).map(|k| (k % 2) as f32).collect();
        file.array("targets", targets, &numbers).unwrap();
        file.strings("keys", &["ball_x".into(), "ball_y".into()]).unwrap();
        more(&mut file);
        file.finish().unwrap();
    }

    fn open(&self, more: &str) -> Result<Box<dyn Dataset>> {
        let mut settings: Table = more.parse().unwrap();
        let path = settings
            .remove("file")
            .map_or(self.0.path().to_path_buf(), |file| self.0.path().join(file.as_str().unwrap()));
        settings.insert("path".into(), path.to_str().unwrap().into());
        Ok(open(&settings)?.0)
    }

    #[track_caller]
    fn refused(&self, more: &str, part: &str) {
        assert_refused(self.open(more), &[part]);
    }
}

#[test]
fn a_sequence_has_steps_with_targets_up_to_the_last_row() {
    let folder = Folder::new();
    folder.pong("train.npz", &[3, 2], |_| {});
    let data = folder.open("").unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (4, "4x1x2".into()));
    let names: Vec<_> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
    assert_eq!(names, ["ball_x", "ball_y"]);
    assert_eq!(data.label(2), Some(vec![2.5, 1.0]));
    let step = Transition { index: 3, targets: vec![0.0, 1.0], action: vec![] };
    assert_eq!((data.next(2), data.next(3)), (Some(step), None));
}

#[test]
fn single_frames_have_no_steps() {
    let folder = Folder::new();
    folder.pong("test_indep.npz", &[4, 2], |_| {});
    let data = folder.open("part = 'test_indep'").unwrap();
    assert!((0..4).all(|row| data.next(row).is_none()));
    assert_eq!(folder.open("file = 'test_indep.npz'").unwrap().len(), 4);
}

#[test]
fn actions_of_rows_belong_to_the_step_before_and_actions_of_steps_to_theirs() {
    let folder = Folder::new();
    let action = |rows: usize| {
        let numbers: Vec<f32> = (0..rows).map(|k| k as f32).collect();
        folder.pong("train.npz", &[3, 2], |file| {
            file.array("actions", &[rows, 1], &numbers).unwrap();
        });
        folder.open("").map(|data| data.next(1).unwrap().action)
    };
    assert_eq!(action(4).unwrap(), [2.0]);
    assert_eq!(action(3).unwrap(), [1.0]);
    assert_refused(action(2), &["`actions` has the shape [2, 1]"]);
}

#[test]
fn targets_of_groups_are_those_of_their_factors() {
    let folder = Folder::new();
    let write = |groups: &[&str]| {
        let mut file = NpzWriter::create(folder.0.path().join("train.npz")).unwrap();
        file.array("images", &[2, 1, 1, 3], &[0_u8; 6]).unwrap();
        file.array("latents", &[2, 3], &[0.0_f32; 6]).unwrap();
        file.array("targets", &[1, 2], &[1.0_f32, 0.0]).unwrap();
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        file.strings("keys", &words(&["ball_x", "score", "ball_y"])).unwrap();
        file.strings("keys_targets", &words(groups)).unwrap();
        file.finish().unwrap();
    };
    write(&["ball", "score"]);
    assert_eq!(folder.open("").unwrap().next(0).unwrap().targets, [1.0, 0.0, 1.0]);
    write(&["ball", "cyl"]);
    folder.refused("", "no name in `keys_targets` that `score` begins with");
}

#[test]
fn causal3dident_has_its_own_arrays_and_names() {
    let folder = Folder::new();
    let mut file = NpzWriter::create(folder.0.path().join("train.npz")).unwrap();
    file.array("imgs", &[2, 1, 2, 4], &[[51_u8, 102, 153, 255]; 4].concat()).unwrap();
    let raw: Vec<f32> = (0..20).map(|k| k as f32).collect();
    file.array("raw_latents", &[2, 10], &raw).unwrap();
    file.array("shape_latents", &[2, 2], &[6_u8, 0, 5, 0]).unwrap();
    file.array("interventions", &[1, 12], &[1_u8; 12]).unwrap();
    file.finish().unwrap();
    let data = folder.open("").unwrap();
    assert_eq!((data.shape().to_string(), data.factors().len()), ("3x1x2".into(), 12));
    assert_eq!(row(&*data, 0), [0.2, 0.2, 0.4, 0.4, 0.6, 0.6]);
    assert_eq!(data.label(1).unwrap()[9..], [19.0, 5.0, 0.0]);
    assert_eq!(data.next(0).unwrap().targets, [1.0; 12]);
}

#[test]
fn what_is_not_there_or_does_not_fit_is_refused() {
    let folder = Folder::new();
    folder.refused("", "holds no .npz at all");
    folder.refused("file = 'none.npz'", "no such file");
    folder.pong("train.npz", &[3, 2], |_| {});
    folder.refused("part = 'val'", "cannot be \"val\"");
    folder.refused("part = 'val'", "holds train");
    folder.refused("file = 'train.npz'\npart = 'train'", "leave it out");
    folder.pong("train.npz", &[2, 2], |_| {});
    folder.refused("", "`targets` has the shape [2, 2], expected [3, 2]");
    folder.pong("train.npz", &[3, 3], |_| {});
    folder.refused("", "`targets` has the shape [3, 3], expected [3, 2]");
    let error = open(&Table::new()).err().unwrap().to_string();
    assert!(error.contains("`data.path` is missing"), "{error}");
}

/// Two triplets of one pixel with two factors.
fn triplets(folder: &Folder, targets: &[usize]) {
    let mut file = NpzWriter::create(folder.0.path().join("val_triplets.npz")).unwrap();
    let images: Vec<u8> = (0..24).collect();
    file.array("images", &[2, 3, 1, 1, 4], &images).unwrap();
    let latents: Vec<f32> = (0..12).map(|k| k as f32 + 0.5).collect();
    file.array("latents", &[2, 3, 2], &latents).unwrap();
    let marks: Vec<u8> = (0..targets.iter().product()).map(|k| u8::from(k % 3 == 0)).collect();
    file.array("targets", targets, &marks).unwrap();
    file.strings("keys", &["ball_vel_dir".into(), "ball_x".into()]).unwrap();
    file.finish().unwrap();
}

#[test]
fn triplets_are_rows_in_threes() {
    let folder = Folder::new();
    triplets(&folder, &[2, 2]);
    let data = folder.open("part = 'val_triplets'").unwrap();
    assert_eq!((data.len(), data.shape().to_string()), (6, "4 numbers".into()));
    let second = Triplet { rows: [3, 4, 5], from_second: vec![false, true] };
    assert_eq!(data.triplet(0).unwrap().from_second, [true, false]);
    assert_eq!((data.triplet(1), data.triplet(2)), (Some(second), None));
    assert_eq!(data.label(4), Some(vec![8.5, 9.5]));
    assert!((0..6).all(|row| data.next(row).is_none()));
    triplets(&folder, &[6, 2]);
    folder.refused("part = 'val_triplets'", "`targets` has the shape [6, 2], expected [2, 2]");
    folder.pong("train.npz", &[3, 2], |_| {});
    assert!(folder.open("").unwrap().triplet(0).is_none());
}

#[test]
fn directions_hues_and_rotations_are_angles() {
    let folder = Folder::new();
    triplets(&folder, &[2, 2]);
    let data = folder.open("part = 'val_triplets'").unwrap();
    assert_eq!([0, 1].map(|k| data.factors()[k].kind.clone()), [Kind::Angle, Kind::Continuous]);
    let angles: Vec<_> = CAUSAL3DIDENT.iter().filter(|name| is_angle(name)).collect();
    assert_eq!(angles.len(), 7);
    assert!(!is_angle("rot-other") && !is_angle("ball_x"));
}

#[test]
fn the_temporal_graph_lies_beside_the_file() {
    let folder = Folder::new();
    folder.pong("train.npz", &[3, 2], |_| {});
    assert!(folder.open("").unwrap().temporal_graph().is_none());
    let settings = folder.0.path().join("settings.json");
    for other in ["no json", "{\"resolution\": 32}", "[1, 2]"] {
        std::fs::write(&settings, other).unwrap();
        assert!(folder.open("").unwrap().temporal_graph().is_none(), "{other}");
    }
    std::fs::write(&settings, "{\"temporal_causal_graph\": [[1, 1], [0, true]]}").unwrap();
    let data = folder.open("").unwrap();
    assert_eq!(data.temporal_graph().unwrap(), ndarray::array![[true, true], [false, true]]);
    for wrong in ["[[1, 0]]", "[[1], [0]]", "[[1, 0], [0, \"a\"]]", "3"] {
        std::fs::write(&settings, format!("{{\"temporal_causal_graph\": {wrong}}}")).unwrap();
        folder.refused("", "`temporal_causal_graph` is not 2 lists of 2 zeros and ones");
    }
}
