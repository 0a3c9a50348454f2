//! The drawn data sets beside the published files, where those are at hand: pixel by pixel.
#![allow(clippy::print_stderr, reason = "a skipped test says so, and agreement is a number")]

mod at_hand;

use at_hand::published;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use toml::Table;
use unbraid_measure::data::{self, Dataset, Range};
use unbraid_measure::factors::Factor;
use unbraid_measure::npz::{Npz, Numbers};

fn open(name: &str, settings: &str) -> Box<dyn Dataset> {
    let settings: Table = settings.parse().unwrap();
    (data::find(name).unwrap().open)(&settings).unwrap().0
}

fn bytes(file: &mut Npz, name: &str) -> Vec<u8> {
    match file.array(name).unwrap().numbers {
        Numbers::Bytes(bytes) => bytes,
        other => panic!("{name} holds no bytes but {other:?}"),
    }
}

#[test]
fn dsprites_equals_the_published_images_but_for_single_pixels() {
    let dsprites = open("dsprites", "");
    let (mut identical, mut compared) = (0, 0);
    for name in ["dsprites_downsampled.npz", "dsprites_subset.npz"] {
        let Some(path) = published(&format!("dsprites/{name}")) else { return };
        let mut file = Npz::open(path).unwrap();
        let images = bytes(&mut file, "imgs");
        let indices = file.array("original_dataset_indices").unwrap().into_floats();
        let values = file.array("latents_values").unwrap();
        let width = values.shape[1];
        let values = values.into_floats();
        let differences: Vec<usize> = images
            .par_chunks_exact(64 * 64)
            .enumerate()
            .map_init(
                || vec![0.0; 64 * 64],
                |drawn, (row, image)| {
                    let index = indices[row] as usize;
                    let mut ours = [0.0; 5];
                    dsprites.values(index, &mut ours);
                    for (a, b) in ours.iter().zip(&values[(row + 1) * width - 5..]) {
                        assert!((a - b).abs() < 1e-6, "row {row}: {a} is not {b}");
                    }
                    dsprites.observe(index, drawn);
                    drawn.iter().zip(image).filter(|(a, b)| **a != f32::from(**b)).count()
                },
            )
            .collect();
        assert!(differences.iter().all(|count| *count <= 1));
        identical += differences.iter().filter(|count| **count == 0).count();
        compared += differences.len();
    }
    eprintln!("dsprites: {identical} of {compared} images identical, the others but for one pixel");
    assert_eq!(compared, 66_080);
    assert!(identical >= 66_071);
}

#[test]
fn the_published_file_opens_as_arrays_in_spite_of_its_pickle() {
    let Some(path) = published("dsprites/dsprites_subset.npz") else { return };
    let file = open("arrays", &format!("path = {path:?}"));
    assert_eq!((file.len(), file.shape().to_string()), (20_000, "1x64x64".into()));
    assert_eq!(file.shape().range, Range::Binary);
    let sizes: Vec<Option<usize>> = file.factors().iter().map(Factor::size).collect();
    assert_eq!(sizes, [3, 6, 40, 32, 32].map(Some));
}

#[test]
fn all_737280_images_of_dsprites_have_their_checksum() {
    if cfg!(debug_assertions) {
        eprintln!("skipped: 737,280 images are drawn with --release only");
        return;
    }
    let chunk = 8192;
    let dsprites = open("dsprites", "");
    let mut hash = Sha256::new();
    let mut pixels = vec![0_u8; chunk * 64 * 64];
    for start in (0..dsprites.len()).step_by(chunk) {
        pixels.par_chunks_exact_mut(64 * 64).enumerate().for_each_init(
            || vec![0.0_f32; 64 * 64],
            |drawn, (row, image)| {
                dsprites.observe(start + row, drawn);
                image.iter_mut().zip(drawn).for_each(|(byte, pixel)| *byte = *pixel as u8);
            },
        );
        hash.update(&pixels);
    }
    let digest = hash.finalize();
    let hex = digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    assert_eq!(hex, "2c612e5234d21c2b576c375ebe1faa1b363ab97d340164c5d2dcf27f35dd5eb6");
}

#[test]
fn pendulum_equals_the_pictures_of_the_original_script_to_a_few_grey_levels() {
    let Some(path) = published("causalvae/pendulum_7308x96x96x3.npz") else { return };
    let pendulum = open("pendulum", "");
    let images = bytes(&mut Npz::open(path).unwrap(), "images");
    let pixels = 96 * 96;
    let errors: Vec<(f64, f32)> = images
        .par_chunks_exact(pixels * 3)
        .enumerate()
        .map_init(
            || vec![0.0; pixels * 4],
            |drawn, (row, image)| {
                pendulum.observe(row, drawn);
                assert!(drawn[pixels * 3..].iter().all(|alpha| *alpha == 1.0));
                let error = |(place, byte): (usize, &u8)| {
                    let ours = drawn[place % 3 * pixels + place / 3];
                    (ours - f32::from(*byte) / 255.0).abs()
                };
                let sum: f64 = image.iter().enumerate().map(error).map(f64::from).sum();
                (sum, image.iter().enumerate().map(error).fold(0.0, f32::max))
            },
        )
        .collect();
    assert_eq!(errors.len(), 7308);
    let mean = errors.iter().map(|error| error.0).sum::<f64>() / images.len() as f64;
    let largest = errors.iter().map(|error| error.1).fold(0.0, f32::max) * 255.0;
    eprintln!("pendulum: mean error {mean:.7} of full scale, largest {largest:.1} of 255 levels");
    assert!(mean < 1e-4 && largest < 4.0);
}

#[test]
fn pendulum_has_the_published_labels_and_split() {
    let Some(path) = published("causalvae/pendulum_7308x96x96x3.npz") else { return };
    let mut file = Npz::open(path).unwrap();
    let mut column = |name: &str| file.array(name).unwrap().into_floats();
    let [exact, truncated] = ["", "labels = 'file-name'"].map(|text| open("pendulum", text));
    for (row, published) in column("labels_exact").chunks_exact(4).enumerate() {
        assert_eq!(exact.label(row).unwrap(), published, "row {row}");
    }
    for (row, published) in column("labels_filename").chunks_exact(4).enumerate() {
        assert_eq!(truncated.label(row).unwrap(), published, "row {row}");
    }
    let is_train = column("is_train");
    for (split, wanted) in [("train", 1.0), ("test", 0.0)] {
        let part = open("pendulum", &format!("split = '{split}'"));
        let rows: Vec<usize> = (0..7308).filter(|&row| is_train[row] == wanted).collect();
        assert_eq!(part.len(), rows.len());
        for (index, &row) in rows.iter().enumerate() {
            assert_eq!(part.label(index), exact.label(row), "{split} {index}");
        }
    }
}

#[test]
fn flow_equals_the_pictures_of_the_original_script_but_for_the_noise_of_the_stream() {
    let Some(path) = published("causalvae/flow_96x96x3.npz") else { return };
    let flow = open("flow", "");
    let mut file = Npz::open(path).unwrap();
    let images = bytes(&mut file, "images");
    let exact = file.array("labels_exact").unwrap().into_floats();
    let pixels = 96 * 96;
    let errors: Vec<[f64; 3]> = images
        .par_chunks_exact(pixels * 3)
        .zip(exact.par_chunks_exact(9))
        .map_init(
            || vec![0.0; pixels * 4],
            |drawn, (image, label)| {
                flow.observe(flow_row(label), drawn);
                assert!(drawn[pixels * 3..].iter().all(|alpha| *alpha == 1.0));
                // The stream begins at the right side of the cup, two pixels above the hole.
                let hole = 83.0 - 3.696 * label[5];
                let mut sums = [0.0; 3];
                for (place, byte) in image.iter().enumerate() {
                    let ours = drawn[place % 3 * pixels + place / 3];
                    let error = f64::from((ours - f32::from(*byte) / 255.0).abs());
                    let stream = place / 3 % 96 >= 40 && (place / 3 / 96) as f32 >= hole;
                    if stream {
                        sums[2] += error;
                    } else {
                        sums = [sums[0] + error, sums[1].max(error), sums[2]];
                    }
                }
                sums
            },
        )
        .collect();
    assert_eq!(errors.len(), 6874);
    let mean = |k: usize| errors.iter().map(|error| error[k]).sum::<f64>() / images.len() as f64;
    let largest = errors.iter().map(|error| error[1]).fold(0.0, f64::max) * 255.0;
    let [outside, stream] = [mean(0), mean(2)];
    eprintln!("flow: mean error {outside:.7} outside the stream, largest {largest:.1} of 255");
    eprintln!("flow: mean error {stream:.7} of the stream, whose noise differs");
    assert!(outside < 1e-4 && largest < 4.0 && stream < 1e-3);
}

/// The place of an image of the reference among all 8,100: ball, water poured in, hole.
fn flow_row(label: &[f32]) -> usize {
    let [ball, poured, hole] = [label[0], label[1], label[2]].map(|value| value as usize);
    (ball - 5) * 270 + (poured - 10) * 9 + hole - 6
}

#[test]
fn flow_has_the_published_labels_and_files() {
    let Some(path) = published("causalvae/flow_96x96x3.npz") else { return };
    let mut file = Npz::open(path).unwrap();
    let mut column = |name: &str| file.array(name).unwrap().into_floats();
    let (exact, names, is_train) =
        (column("labels_exact"), column("labels_filename"), column("is_train"));
    let all = open("flow", "");
    for (split, wanted) in [("train", 1.0), ("test", 0.0)] {
        let part = open("flow", &format!("split = '{split}'\nlabels = 'file-name'"));
        let rows: Vec<usize> = (0..6874).filter(|&row| is_train[row] == wanted).collect();
        assert_eq!(part.len(), rows.len());
        for (index, &row) in rows.iter().enumerate() {
            let label = &exact[row * 9..][..9];
            assert_eq!(part.label(index).unwrap(), names[row * 4..][..4], "{split} {index}");
            let [ours, theirs] = [all.label(flow_row(label)).unwrap(), label.to_vec()];
            let theirs = [theirs[0], theirs[4], theirs[6] * 10.0, theirs[2]];
            assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-4), "{ours:?}");
            let mut values = [0.0; 4];
            part.values(index, &mut values);
            assert_eq!(values[..], ours, "the last of a name stays");
        }
    }
}
