//! `shapes3d` beside what is known of the published images: their means and deviations, always,
//! and the frames of the published preview, where that is at hand.
#![allow(clippy::print_stderr, reason = "a skipped test says so, and agreement is a number")]

mod at_hand;
#[path = "shapes3d/gif.rs"]
mod gif;

use toml::Table;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;

use at_hand::published;
use gif::Gif;

const SIDE: usize = 64;
const SIZES: [usize; 6] = [10, 10, 10, 8, 4, 15];

fn shapes3d() -> Box<dyn Dataset> {
    (data::find("shapes3d").unwrap().open)(&Table::new()).unwrap().0
}

fn index(classes: [usize; 6]) -> usize {
    classes.iter().zip(SIZES).fold(0, |index, (class, size)| index * size + class)
}

#[test]
fn means_and_deviations_are_those_of_the_published_images() {
    // Of all 480,000 images, as the library disent states them. Its deviation is that of each image,
    // averaged: what it states for dSprites, 0.1952, is so too; of all pixels together it is 0.2017.
    let published = [[0.5026, 0.5788, 0.6034], [0.2941, 0.3444, 0.3662]];
    let data = shapes3d();
    let mut rng = Rng::new(0);
    let rows: Vec<usize> = (0..6000).map(|_| rng.below(data.len())).collect();
    let images = data::observations(&*data, &rows);
    let mut sums = [[0.0; 3]; 2];
    for image in images.rows() {
        let image = image.to_slice().unwrap();
        for (channel, pixels) in image.chunks_exact(SIDE * SIDE).enumerate() {
            let average = |of: fn(f64) -> f64| {
                pixels.iter().map(|v| of(f64::from(*v))).sum::<f64>() / pixels.len() as f64
            };
            let (mean, square) = (average(|v| v), average(|v| v * v));
            sums[0][channel] += mean;
            sums[1][channel] += (square - mean * mean).max(0.0).sqrt();
        }
    }
    let ours = sums.map(|sums| sums.map(|sum| sum / rows.len() as f64));
    eprintln!("shapes3d: mean {:.4?}, deviation {:.4?}", ours[0], ours[1]);
    for (ours, published) in ours.iter().flatten().zip(published.iter().flatten()) {
        assert!((ours - published).abs() < 0.03, "{ours} is not {published}");
    }
}

/// What the frames of the preview show: it changes one factor after the other.
fn frames() -> Vec<[usize; 6]> {
    let mut frames: Vec<[usize; 6]> = (0..15).map(|k| [0, 6, 3, 0, 0, k]).collect();
    frames.extend((1..4).map(|shape| [0, 6, 3, 0, shape, 14]));
    frames.extend((1..8).map(|scale| [0, 6, 3, scale, 3, 14]));
    frames.extend([4, 5, 6, 7, 8, 9, 0, 1, 2].map(|object| [0, 6, object, 7, 3, 14]));
    frames.extend([7, 8, 9, 0, 1, 5].map(|wall| [0, wall, 2, 7, 3, 14]));
    frames.extend([1, 2, 3].map(|floor| [floor, 5, 2, 7, 3, 14]));
    frames.extend([2, 3, 4].map(|wall| [0, wall, 2, 7, 3, 14]));
    frames.extend([0, 4, 5, 6, 7, 8, 9].map(|floor| [floor, 5, 2, 7, 3, 14]));
    frames
}

/// The mean absolute difference of a frame and a row, without the border, which the frame of the
/// preview touches.
fn difference(data: &dyn Dataset, frame: &[f32], classes: [usize; 6]) -> f32 {
    let mut image = vec![0.0; 3 * SIDE * SIDE];
    data.observe(index(classes), &mut image);
    let inner = |place: usize| {
        let (row, column) = (place / SIDE % SIDE, place % SIDE);
        (1..SIDE - 1).contains(&row) && (1..SIDE - 1).contains(&column)
    };
    let places = || (0..image.len()).filter(|place| inner(*place));
    places().map(|k| (image[k] - frame[k]).abs()).sum::<f32>() / places().count() as f32
}

#[test]
fn every_frame_of_the_published_preview_is_nearest_to_its_own_factors() {
    let Some(path) = published("samples_gif/3dshapes.gif") else { return };
    let preview = Gif::read(&std::fs::read(path).unwrap());
    let data = shapes3d();
    let (frames, mut total, mut least) = (frames(), 0.0, f32::INFINITY);
    assert_eq!(preview.frames.len(), frames.len());
    for (k, &own) in frames.iter().enumerate() {
        let frame = preview.small(k);
        let error = difference(&*data, &frame, own);
        total += error;
        assert!(error < 0.012, "frame {k}: {error}");
        // One factor changed, to any other value.
        for factor in 0..6 {
            for class in (0..SIZES[factor]).filter(|class| *class != own[factor]) {
                let mut other = own;
                other[factor] = class;
                let far = difference(&*data, &frame, other);
                assert!(far > 1.2 * error, "frame {k}: {other:?} is off by {far}, not {error}");
                least = least.min(far / error);
            }
        }
    }
    let mean = total / frames.len() as f32;
    eprintln!("shapes3d: mean error {mean:.4} of full scale over {} frames", frames.len());
    eprintln!("shapes3d: any other value of a factor is off by {least:.2} times that or more");
    assert!(mean < 0.008);
}
