//! The real files, where they are at hand, through the library: counts and statistics are those
//! that are known of them.
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod at_hand;

use std::path::Path;

use at_hand::published;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use unbraid_measure::data::storage::library;
use unbraid_measure::data::{self, Dataset, Range};
use unbraid_measure::factors::Kind;
use unbraid_measure::npz::{Npz, Numbers};
use unbraid_measure::watch::Stage;

/// Import what is published under `path`; the data set is in the directory.
fn import(name: &str, path: &Path, unchecked: bool) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let publication = data::find(name).unwrap().publication.unwrap();
    let target = dir.path().join(name);
    library::import_to(publication, path, &target, unchecked, &Stage::unwatched()).unwrap();
    dir
}

/// Mean and standard deviation of all numbers.
fn moments(data: &dyn Dataset) -> (f64, f64) {
    let rows: Vec<usize> = (0..data.len()).collect();
    let (mut sum, mut squares) = (0.0, 0.0);
    for rows in rows.chunks(1000) {
        for number in data::observations(data, rows) {
            sum += f64::from(number);
            squares += f64::from(number).powi(2);
        }
    }
    let count = (data.len() * data.shape().size()) as f64;
    let mean = sum / count;
    (mean, (squares / count - mean * mean).sqrt())
}

#[test]
fn mnist_is_the_published_one_with_its_mean_and_deviation() {
    let Some(path) = published("mnist") else { return };
    let dir = import("mnist", &path, false);
    let [train, test] =
        ["train", "test"].map(|part| library::open_at(&dir.path().join("mnist"), part).unwrap());
    assert_eq!((train.len(), test.len(), train.shape().range), (60_000, 10_000, Range::Unit));
    let (mean, deviation) = moments(&*train);
    eprintln!("mnist: mean {mean:.4}, standard deviation {deviation:.4}");
    assert!((mean - 0.1307).abs() < 5e-5 && (deviation - 0.3081).abs() < 5e-5);
    let digits: Vec<_> = (0..5).map(|row| train.label(row).unwrap()[0]).collect();
    assert_eq!(digits, [5.0, 0.0, 4.0, 1.0, 9.0]);
    assert_eq!(train.factors()[0].size(), Some(10));
}

#[test]
fn omniglot_has_fifty_alphabets_and_twenty_drawers_of_every_character() {
    let Some(path) = published("omniglot/omniglot_28x28_all.npz") else { return };
    let dir = import("omniglot", &path, false);
    let open = |part: &str| library::open_at(&dir.path().join("omniglot"), part).unwrap();
    let [all, background, evaluation] = ["all", "background", "evaluation"].map(open);
    assert_eq!((background.len(), evaluation.len()), (964 * 20, 659 * 20));
    assert_eq!((all.len(), all.shape().range), (32_460, Range::Binary));
    let sizes: Vec<_> = all.factors().iter().map(|factor| factor.size().unwrap()).collect();
    assert_eq!(sizes, [50, 55, 20]);
    let mut characters = std::collections::BTreeMap::new();
    for row in 0..all.len() {
        let label = all.label(row).unwrap();
        *characters.entry((label[0] as u8, label[1] as u8)).or_insert(0) += 1;
    }
    assert_eq!(characters.len(), 1623);
    assert!(characters.values().all(|drawers| *drawers == 20));
    let ink = moments(&*all).0 * (32_460 * 784) as f64;
    assert_eq!(ink.round(), INK);
}

/// The pixels with ink, as NumPy counts them.
const INK: f64 = 2_048_888.0;

#[test]
fn a_published_part_of_dsprites_is_what_is_drawn() {
    let Some(path) = published("dsprites/dsprites_downsampled.npz") else { return };
    let dir = import("dsprites", &path, true);
    let real = library::open_at(&dir.path().join("dsprites"), "all").unwrap();
    assert_eq!((real.len(), real.shape().range), (46_080, Range::Binary));
    let sizes: Vec<_> = real.factors().iter().map(|factor| factor.size().unwrap()).collect();
    assert_eq!(sizes, [3, 6, 10, 16, 16]);
    let (drawn, _) = (data::find("dsprites").unwrap().open)(&toml::Table::new()).unwrap();
    let (mut ours, mut theirs) = (vec![0.0; 4096], vec![0.0; 4096]);
    let mut identical = 0;
    for row in (0..real.len()).step_by(7) {
        let values = real.label(row).unwrap();
        // The same values to the bit, so that one can stand for the other.
        let index = drawn.find(&values).unwrap_or_else(|| panic!("{values:?} is not drawn"));
        drawn.observe(index, &mut ours);
        real.observe(row, &mut theirs);
        identical += usize::from(ours == theirs);
    }
    eprintln!("dsprites: {identical} of {} identical", real.len().div_ceil(7));
    assert!(identical >= real.len().div_ceil(7) - 9);
}

/// Rows, and how often each factor is intervened on, as NumPy counts.
const PONG: [(&str, usize, [f32; 8]); 5] = [
    ("train", 2000, [214.0, 0.0, 239.0, 214.0, 246.0, 210.0, 0.0, 0.0]),
    ("val", 200, [22.0, 0.0, 27.0, 25.0, 19.0, 25.0, 0.0, 0.0]),
    ("test", 200, [18.0, 0.0, 23.0, 31.0, 24.0, 25.0, 0.0, 0.0]),
    ("val_indep", 500, [0.0; 8]),
    ("test_indep", 500, [0.0; 8]),
];

#[test]
fn pong_has_its_sequences_and_interventions() {
    let Some(path) = published("citris_pong") else { return };
    let open = |part: &str| {
        let settings = format!("path = {path:?}\npart = '{part}'").parse().unwrap();
        (data::find("citris").unwrap().open)(&settings).unwrap().0
    };
    for (part, rows, interventions) in PONG {
        let data = open(part);
        assert_eq!((data.len(), data.shape().to_string()), (rows, "4x32x32".into()), "{part}");
        let mut counts = [0.0; 8];
        let mut steps = 0;
        for step in (0..rows).filter_map(|row| data.next(row)) {
            counts.iter_mut().zip(step.targets).for_each(|(count, target)| *count += target);
            steps += 1;
        }
        assert_eq!(steps, if part.ends_with("indep") { 0 } else { rows - 1 }, "{part}");
        assert_eq!(counts, interventions, "{part}");
        let names: Vec<_> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
        assert_eq!((names[0], names[7]), ("ball_vel_dir", "score_right"));
        assert_eq!((data.factors()[1].size(), data.factors()[2].size()), (Some(1), None), "{part}");
    }
}

#[test]
fn triplets_of_pong_are_mixtures_of_their_frames() {
    let Some(path) = published("citris_pong") else { return };
    for part in ["val_triplets", "test_triplets"] {
        let settings = format!("path = {path:?}\npart = '{part}'").parse().unwrap();
        let (data, _) = (data::find("citris").unwrap().open)(&settings).unwrap();
        assert_eq!((data.len(), data.triplet(200)), (600, None), "{part}");
        let kinds = [0, 2, 4].map(|k| data.factors()[k].kind.clone());
        assert_eq!(kinds, [Kind::Angle, Kind::Continuous, Kind::Continuous], "{part}");
        assert!(data.factors()[6].size().is_some(), "{part}");
        for number in 0..200 {
            let triplet = data.triplet(number).unwrap();
            let [first, second, mixed] = triplet.rows.map(|row| data.label(row).unwrap());
            for (k, from_second) in triplet.from_second.into_iter().enumerate() {
                let expected = if from_second { second[k] } else { first[k] };
                assert_eq!(mixed[k], expected, "{part} {number} {k}");
            }
        }
    }
}

/// The files of Pong, the values of their latents as the game has them, and their images.
fn frames_of_pong(path: &Path) -> (Vec<[f32; 7]>, Vec<u8>) {
    let mut file = Npz::open(path).unwrap();
    let latents = file.array("latents").unwrap().into_floats();
    let position = |pixels: f32| pixels / 16.0 - 1.0;
    let values = |row: &[f32]| {
        let positions = [row[2], row[3], row[4], row[5]].map(position);
        let [x, y, left, right] = positions;
        [row[0], x, y, left, right, row[6], row[7]]
    };
    let Numbers::Bytes(bytes) = file.array("images").unwrap().numbers else {
        panic!("images are bytes")
    };
    (latents.chunks_exact(8).map(values).collect(), bytes)
}

#[test]
fn published_frames_of_pong_are_what_is_drawn_from_their_latents() {
    let Some(path) = published("citris_pong") else { return };
    let (game, _) = (data::find("pong").unwrap().open)(&"frames = 20".parse().unwrap()).unwrap();
    let world = game.world().unwrap();
    let mut apart = [[0_usize; 256]; 4];
    let parts = PONG.iter().map(|part| part.0).chain(["val_triplets", "test_triplets"]);
    for part in parts {
        let (values, bytes) = frames_of_pong(&path.join(format!("{part}.npz")));
        let mut drawn = vec![0.0; 4 * 1024];
        for (values, frame) in values.iter().zip(bytes.chunks_exact(4 * 1024)) {
            world.draw(values, &mut drawn);
            for (i, &byte) in frame.iter().enumerate() {
                let level = (drawn[i % 4 * 1024 + i / 4] * 255.0).round() as u8;
                apart[i % 4][usize::from(level.abs_diff(byte))] += 1;
            }
        }
    }
    for (channel, apart) in apart.iter().enumerate() {
        let total: usize = apart.iter().sum();
        let share = |level: usize| 100.0 * apart[level] as f64 / total as f64;
        let most = (0..256).rfind(|level| apart[*level] > 0).unwrap();
        eprintln!(
            "pong, channel {channel}: {total} bytes, {:.3} % equal, {:.3} % one apart, at most {most}",
            share(0),
            share(1)
        );
        assert!(most <= 2 && share(0) > 98.0, "channel {channel}");
    }
}

/// The bytes of an image, pixel by pixel.
fn bytes(data: &dyn Dataset, row: usize) -> Vec<u8> {
    let image = data::observations(data, &[row]);
    let plane = image.len() / 3;
    let byte = |place: usize| (image[[0, place % 3 * plane + place / 3]] * 255.0).round() as u8;
    (0..image.len()).map(byte).collect()
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[test]
fn sprites_are_the_images_that_are_known_of_the_published_sheets() {
    let Some(path) = published("sprites") else { return };
    let dir = tempfile::tempdir().unwrap();
    assert!(library::set_root(dir.path().to_path_buf()), "no other test here has a library");
    let source = data::find("sprites").unwrap();
    let refused = (source.open)(&toml::Table::new()).err().unwrap().to_string();
    assert!(refused.contains("unbraid data fetch sprites"), "{refused}");
    library::import(source, &path, false, &Stage::unwatched()).unwrap();
    let sprites = (source.open)(&toml::Table::new()).unwrap().0;
    assert_eq!((sprites.len(), sprites.shape().to_string()), (4_630_500, "3x64x64".into()));
    assert_eq!(sprites.label(1_234_567).unwrap(), [1.0, 6.0, 0.0, 3.0, 0.0, 4.0, 2.0, 0.0, 1.0]);
    // Made from the sheets by another program: the sum of the bytes, and the start of their checksum.
    for (row, sum, start) in [
        (0, 229_916, "a65a174286b9fc21"),
        (1, 232_323, "f0b4c9ea40780532"),
        (17, 252_122, "e6f77de866c064f1"),
        (1_234_567, 180_514, "a7a2cac8a2aa0e12"),
        (4_630_499, 211_343, "d5825c565b58ff10"),
    ] {
        let bytes = bytes(&*sprites, row);
        assert_eq!(bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>(), sum, "row {row}");
        assert!(hex(Sha256::new().chain_update(bytes)).starts_with(start), "row {row}");
    }
    let mut thousand = Sha256::new();
    (0..1000).for_each(|i| thousand.update(bytes(&*sprites, 4630 * i)));
    let known = "72e5bf2026c42e5cc0474d4ad1dc5d204b30ddd25af9da520935b06b54185387";
    assert_eq!(hex(thousand), known);
}

#[test]
fn a_car_is_white_around_and_the_same_in_both_sizes() {
    let Some(path) = published("cars3d/car_180_mesh.mat") else { return };
    let from = tempfile::tempdir().unwrap();
    let cars = from.path().join("data/cars");
    std::fs::create_dir_all(&cars).unwrap();
    std::fs::copy(path, cars.join("car_180_mesh.mat")).unwrap();
    let dir = import("cars3d", from.path(), true);
    let open = |part: &str| library::open_at(&dir.path().join("cars3d"), part).unwrap();
    let [small, full] = ["all", "full"].map(open);
    assert_eq!((small.len(), full.len()), (96, 96));
    let [small, full] = [small, full].map(|data| moments(&*data).0);
    eprintln!("car 180: mean {small:.6} at 64x64, {full:.6} at 128x128");
    assert!((small - full).abs() < 1e-3 && (0.8..1.0).contains(&full));
}

#[test]
fn ten_cars_as_arrays_give_transitions() {
    let Some(path) = published("cars3d/cars3d_x64_first10.npz") else { return };
    let settings = "[variant]\ntransitions = { wrap = [\"factor-2\"] }";
    let mut settings: toml::Table = settings.parse().unwrap();
    settings.insert("path".into(), path.to_str().unwrap().into());
    let (cars, _) = data::open("arrays", &settings).unwrap();
    // All pairs of a small grid: three, 24 and nine steps in their contexts.
    let all = 2 * (3 * 24 * 10 + 24 * 4 * 10 + 9 * 4 * 24);
    eprintln!("ten cars: {} of {all} rows", cars.len());
    assert!(cars.len() > all * 99 / 100 && cars.len() <= all);
    assert_eq!(cars.actions()[1], "factor-2+");
}
