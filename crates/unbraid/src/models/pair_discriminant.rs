//! A few numbers of a pair of images, and a Gaussian of them for each action: what can be told of what was done without
//! learning what an image is. The floor of action retrieval.
//!
//! ```text
//! pixels that change: log(1 + their number), mean and spread of their rows and columns
//! the image against its corner: log of its mass after over before, how far its centre moves
//! the mean change of each channel
//! ```

use ndarray::{Array2, Array3, ArrayView1, ArrayView2, Axis};
use unbraid_measure::data::{Dataset, Shape, Supervision, Transition, Window};
use unbraid_measure::info::Info;
use unbraid_measure::predictors::discriminant::Discriminant;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::weights::{self, Weight, Weights};
use crate::model::{Baseline, Settings, Task};

/// A pixel changes if a channel of it does by more than this.
const CHANGE: f32 = 0.05;
/// Pairs it is fitted to at most.
const PAIRS: usize = 20_000;
/// Pairs that are looked at together.
const CHUNK: usize = 256;

/// No settings.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Config {}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        match task.shape.is_vector() {
            true => Err(Error::setting("model.name", "needs images; these data are plain numbers")),
            false => task.check_named(),
        }
    }
}

/// The Gaussians.
pub struct PairDiscriminant {
    of_actions: Discriminant,
    shape: [usize; 3],
}

impl Baseline for PairDiscriminant {
    type Config = Config;
    const INFO: Info = Info {
        name: "pair-discriminant",
        title: "Pair discriminant",
        summary: "baseline: what was done between two images, from a dozen numbers of the pair",
        paper: "",
        page: "\
## What it is
A dozen numbers of a pair of images: how many pixels change and where, how the mass and the centre of what is not
background change, how the mean of each channel changes. Quadratic discriminant analysis (a Gaussian of these numbers
for each action) tells the action from them. Nothing of an image is learned.

## What it is for
The floor of action retrieval (ct-vae). What it tells needs no representation.

## What to expect
Actions that move or scale something, or change its colour, are told; turning left from turning right is not.",
    };
    const SUPERVISION: Supervision = Supervision::Actions(Window::TRANSITION);

    fn fit(_: &Config, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let order = rng.split("pairs").permutation(data.len());
        let steps: Vec<(usize, Transition)> = order
            .into_iter()
            .filter_map(|row| Some((row, data.next(row)?)))
            .filter(|(_, step)| step.action.contains(&1.0))
            .take(PAIRS)
            .collect();
        let done = |step: &Transition| step.action.iter().position(|one| *one == 1.0).unwrap_or(0);
        let classes: Vec<usize> = steps.iter().map(|(_, step)| done(step)).collect();
        let mut all = Array2::zeros((0, numbers(data.shape())));
        for chunk in steps.chunks(CHUNK) {
            let seen = |rows: Vec<usize>| Seen::of(data, &rows);
            let before = seen(chunk.iter().map(|(row, _)| *row).collect());
            let after = seen(chunk.iter().map(|(_, step)| step.index).collect());
            let found = looked_at(&before, &after, data.shape().axes());
            all.append(Axis(0), found.view()).expect("the same numbers of each pair");
        }
        let of_actions = Discriminant::fit(all.view(), &classes, data.actions().len())?;
        Ok(Self { of_actions, shape: data.shape().axes() })
    }

    /// What it tells of a pair of the same observation twice: it has no opinion on one alone.
    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.of_actions.log_joint(looked_at(seen, seen, self.shape).view())
    }

    fn retrieve(&self, before: &Seen, after: &Seen) -> Option<Array2<f32>> {
        let mut found = self.of_actions.log_joint(looked_at(before, after, self.shape).view());
        for mut row in found.rows_mut() {
            let most = row.iter().copied().fold(f32::MIN, f32::max);
            let total = most + row.iter().map(|log| (log - most).exp()).sum::<f32>().ln();
            row -= total;
        }
        Some(found)
    }

    fn weights(&self) -> Weights {
        let Discriminant { means, whitening, constants } = &self.of_actions;
        let vector = |values: Vec<f32>| Weight { shape: vec![values.len()], values };
        Weights::from([
            ("means".into(), Weight::matrix(means)),
            (
                "whitening".into(),
                Weight {
                    shape: whitening.shape().to_vec(),
                    values: whitening.iter().copied().collect(),
                },
            ),
            ("constants".into(), vector(constants.clone())),
            ("shape".into(), vector(self.shape.map(|size| size as f32).to_vec())),
        ])
    }

    fn from_weights(mut weights: Weights) -> Result<Self> {
        let mut take = |name: &str| weights::take(&mut weights, name);
        let (shape, constants) = (take("shape")?.values, take("constants")?.values);
        let shape = [0, 1, 2].map(|k| shape.get(k).copied().unwrap_or(0.0) as usize);
        let [classes, width] = [constants.len(), NUMBERS + shape[0]];
        let means = take("means")?.into_matrix([classes, width])?;
        let whitening = Array3::from_shape_vec([classes, width, width], take("whitening")?.values)
            .map_err(|_| Error::Unable("the weights of a pair-discriminant do not fit".into()))?;
        Ok(Self { of_actions: Discriminant { means, whitening, constants }, shape })
    }
}

/// Numbers of a pair without those of channels.
const NUMBERS: usize = 8;

fn numbers(shape: Shape) -> usize {
    NUMBERS + shape.channels
}

/// The numbers of each pair, `[pairs, numbers]`.
fn looked_at(before: &Seen, after: &Seen, shape: [usize; 3]) -> Array2<f32> {
    let mut found = Array2::zeros((before.len(), NUMBERS + shape[0]));
    let pairs = before.observations.rows().into_iter().zip(after.observations.rows());
    for (mut out, (x, y)) in found.rows_mut().into_iter().zip(pairs) {
        let [x, y] = [x, y].map(|image| in_channels(image, shape));
        let numbers = [&changed(&x, &y, shape)[..], &moved(&x, &y, shape), &brighter(&x, &y)];
        out.iter_mut().zip(numbers.concat()).for_each(|(out, number)| *out = number);
    }
    found
}

/// `[channels, pixels]`
fn in_channels(image: ArrayView1<f32>, [channels, height, width]: [usize; 3]) -> Array2<f32> {
    Array2::from_shape_vec((channels, height * width), image.to_vec()).expect("whole images")
}

/// Of pixels that change: log(1 + their number), the mean and the spread of their rows and columns.
fn changed(x: &Array2<f32>, y: &Array2<f32>, [_, height, width]: [usize; 3]) -> [f32; 5] {
    let apart = (y - x).mapv(f32::abs);
    let most = apart.fold_axis(Axis(0), 0.0, |a: &f32, b: &f32| a.max(*b));
    let there: Vec<usize> = (0..most.len()).filter(|pixel| most[*pixel] > CHANGE).collect();
    let count = there.len().max(1) as f32;
    let spread = |place: &dyn Fn(usize) -> usize, size: usize| {
        let all = || there.iter().map(|pixel| place(*pixel) as f32 / size as f32);
        let mean = all().sum::<f32>() / count;
        let squares = all().map(|place| (place - mean).powi(2)).sum::<f32>();
        [mean, (squares / count).sqrt()]
    };
    let [row, rows] = spread(&|pixel| pixel / width, height);
    let [column, columns] = spread(&|pixel| pixel % width, width);
    [(there.len() as f32).ln_1p(), row, rows, column, columns]
}

/// log of the mass after over before, and how far the centre moves down and to the right, in pixels. The mass of a pixel is how
/// far it is from the first one.
fn moved(x: &Array2<f32>, y: &Array2<f32>, [_, _, width]: [usize; 3]) -> [f32; 3] {
    let of = |image: &Array2<f32>| {
        let corner = image.column(0).to_owned().insert_axis(Axis(1));
        let mass = (image - &corner).mapv(f32::abs).sum_axis(Axis(0));
        let total = mass.sum().max(1e-3);
        let centre = |place: &dyn Fn(usize) -> usize| {
            mass.iter().enumerate().map(|(k, mass)| mass * place(k) as f32).sum::<f32>() / total
        };
        [total, centre(&|k| k / width), centre(&|k| k % width)]
    };
    let ([x, x_row, x_column], [y, y_row, y_column]) = (of(x), of(y));
    [(y / x).ln(), y_row - x_row, y_column - x_column]
}

/// The mean change of each channel.
fn brighter(x: &Array2<f32>, y: &Array2<f32>) -> Vec<f32> {
    let mean = |image: ArrayView2<f32>| image.mean_axis(Axis(1)).unwrap_or_default();
    (mean(y.view()) - mean(x.view())).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [usize; 3] = [1, 4, 4];

    fn image(white: &[usize]) -> Array2<f32> {
        let mut image = Array2::zeros((1, 16));
        white.iter().for_each(|pixel| image[[0, *pixel]] = 1.0);
        image
    }

    #[test]
    fn numbers_of_a_pair_are_those_of_the_header() {
        // A pixel moves from row 1, column 1 to row 1, column 3.
        let (x, y) = (image(&[5]), image(&[7]));
        let [count, row, rows, column, columns] = changed(&x, &y, SHAPE);
        assert_eq!([count, row, rows, column], [3f32.ln(), 0.25, 0.0, 0.5]);
        assert!((columns - 0.25).abs() < 1e-6, "{columns}");
        assert_eq!(moved(&x, &y, SHAPE), [0.0, 0.0, 2.0]);
        assert_eq!(moved(&x, &image(&[5, 9]), SHAPE), [2f32.ln(), 0.5, 0.0]);
        assert_eq!(brighter(&x, &image(&[5, 9])), [1.0 / 16.0]);
        assert_eq!(changed(&x, &x, SHAPE), [0.0; 5]);
    }
}
