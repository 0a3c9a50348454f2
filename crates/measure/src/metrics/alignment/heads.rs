//! What the network is asked of each factor, and how its answers are judged, by the kind of factor.
//!
//! A number is one output, with mean 0 and variance 1 among the training rows, and
//!
//! ```text
//! R² = 1 - Σ (v̂ - v)² / Σ (v - mean v)²
//! ```
//!
//! An angle is two, its sine and its cosine: as one number it would jump where it starts again, and
//! nothing smooth predicts a jump. Both are centred, and divided by the same number, the root of
//! the sum of their variances: two numbers would turn every direction. So an angle weighs as much
//! in the loss as a number. The answer is the direction of the predicted point, and
//!
//! ```text
//! R² = 1 - Σ d(θ̂, θ)² / Σ d(circular mean, θ)²,    d = degrees the shorter way round / 180
//! ```

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};

use crate::error::{Error, Result};
use crate::factors::Kind;
use crate::representation::Representation;
use crate::stats::angles::{circular_mean, half_turns_apart};
use crate::stats::correlation::spearman;
use crate::stats::{is_constant, mean};

/// Angles that differ by less, in radians, are the same: 0 and 2π differ by the rounding of 2π.
const LEAST_SPREAD: f64 = 1e-4;

/// The outputs of the network for one factor.
#[derive(Debug)]
pub(super) struct Head {
    /// The number of the factor in the table.
    pub(super) factor: usize,
    /// Its first column among all outputs.
    first: usize,
    form: Form,
}

/// How the values of a factor and the outputs of the network become each other.
#[derive(Debug)]
enum Form {
    Number { mean: f64, spread: f64 },
    Angle { mean: [f64; 2], spread: f64 },
}

impl Form {
    /// `None` for a column that does not change.
    fn of(kind: &Kind, column: ArrayView1<f32>) -> Option<Self> {
        let values = column.mapv(f64::from);
        match kind {
            Kind::Angle => {
                let points = [values.mapv(f64::sin), values.mapv(f64::cos)];
                let mean = points.each_ref().map(|part| part.mean().unwrap_or(0.0));
                let spread = points.iter().map(|part| part.var(0.0)).sum::<f64>().sqrt();
                (spread > LEAST_SPREAD).then_some(Self::Angle { mean, spread })
            }
            Kind::Continuous | Kind::Discrete(_) => {
                let mean = values.mean().unwrap_or(0.0);
                let changes = !is_constant(column);
                changes.then(|| Self::Number { mean, spread: values.std(0.0) })
            }
        }
    }

    /// How many outputs.
    fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Angle { .. } => 2,
        }
    }
}

/// The heads of the factors that change among the rows that teach and among those that judge.
pub(super) fn heads(train: &Representation, test: &Representation) -> Result<Vec<Head>> {
    let (mut heads, mut first) = (Vec::new(), 0);
    for (factor, known) in train.factors.iter().enumerate() {
        let form = |rows: &Representation| Form::of(&known.kind, rows.values.column(factor));
        if let (Some(form), Some(_)) = (form(train), form(test)) {
            let width = form.width();
            heads.push(Head { factor, first, form });
            first += width;
        }
    }
    match heads.is_empty() {
        true => Err(Error::Missing(
            "no factor changes both among the rows that teach and among those that judge; score \
             rows in which factors change"
                .into(),
        )),
        false => Ok(heads),
    }
}

/// The outputs `[rows, outputs]` that the network should have for these values `[rows, factors]`.
pub(super) fn wanted(heads: &[Head], values: ArrayView2<f32>) -> Array2<f32> {
    let outputs = heads.iter().map(|head| head.form.width()).sum();
    let mut wanted = Array2::zeros((values.nrows(), outputs));
    for head in heads {
        for (row, value) in values.column(head.factor).iter().enumerate() {
            let value = f64::from(*value);
            match &head.form {
                Form::Number { mean, spread } => {
                    wanted[[row, head.first]] = ((value - mean) / spread) as f32;
                }
                Form::Angle { mean, spread } => {
                    for (k, part) in [value.sin(), value.cos()].into_iter().enumerate() {
                        wanted[[row, head.first + k]] = ((part - mean[k]) / spread) as f32;
                    }
                }
            }
        }
    }
    wanted
}

impl Head {
    /// R² of answers, where the outputs should have been `truth`; both are `[rows, outputs]`.
    pub(super) fn r2<T: Copy + Into<f64>>(
        &self,
        answers: ArrayView2<T>,
        truth: ArrayView2<f32>,
    ) -> f64 {
        match self.form {
            Form::Number { .. } => {
                let answers = answers.column(self.first);
                r2_of_numbers(answers.iter().map(|answer| (*answer).into()), self.column(truth))
            }
            Form::Angle { mean, spread } => {
                let angles = [self.angles(answers, mean, spread), self.angles(truth, mean, spread)];
                r2_of_angles(&angles[0], &angles[1])
            }
        }
    }

    /// R², but no more than 0 for an angle whose sine and cosine are not predicted better than by
    /// their means. A bin of pure noise always has some direction, which luck makes a little better
    /// or worse than the circular mean, while the means of a number are always a little worse.
    pub(super) fn r2_of_one_code(&self, answers: ArrayView2<f64>, truth: ArrayView2<f32>) -> f64 {
        let r2 = self.r2(answers, truth);
        let columns = self.first..self.first + self.form.width();
        let squares = |column: usize| {
            let (answers, truth) = (answers.column(column), truth.column(column).mapv(f64::from));
            let middle = mean(truth.iter().copied());
            let off = answers.iter().zip(&truth).map(|(answer, value)| (answer - value).powi(2));
            [off.sum::<f64>(), truth.iter().map(|value| (value - middle).powi(2)).sum()]
        };
        let [off, spread] = columns
            .map(squares)
            .fold([0.0; 2], |sum, squares| [sum[0] + squares[0], sum[1] + squares[1]]);
        if matches!(self.form, Form::Angle { .. }) && off >= spread { r2.min(0.0) } else { r2 }
    }

    /// Spearman's correlation of answers and truth; of an angle, the mean of that of the sine and
    /// that of the cosine.
    pub(super) fn rank(&self, answers: ArrayView2<f32>, truth: ArrayView2<f32>) -> f64 {
        match self.form {
            Form::Number { .. } => rank_or_zero(self.column(answers), self.column(truth)),
            Form::Angle { mean: centre, spread } => {
                let angles = self.angles(answers, centre, spread);
                let parts = [angles.mapv(|a| a.sin() as f32), angles.mapv(|a| a.cos() as f32)];
                let ranks = parts.iter().enumerate().map(|(k, part)| {
                    // Centred and divided, a sine keeps its rank.
                    rank_or_zero(part.view(), truth.column(self.first + k))
                });
                mean(ranks)
            }
        }
    }

    fn column<'a>(&self, outputs: ArrayView2<'a, f32>) -> ArrayView1<'a, f32> {
        outputs.index_axis_move(Axis(1), self.first)
    }

    /// The directions of the points that two outputs stand for, `[rows]`.
    fn angles<T: Copy + Into<f64>>(
        &self,
        outputs: ArrayView2<T>,
        mean: [f64; 2],
        spread: f64,
    ) -> Array1<f64> {
        let points = outputs.slice_axis(Axis(1), Slice::from(self.first..self.first + 2));
        points.map_axis(Axis(1), |point| {
            let part = |k: usize| mean[k] + spread * point[k].into();
            part(0).atan2(part(1))
        })
    }
}

/// 1 - Σ (v̂ - v)² / Σ (v - mean v)²
fn r2_of_numbers(answers: impl Iterator<Item = f64>, truth: ArrayView1<f32>) -> f64 {
    let mean = mean(truth.iter().copied().map(f64::from));
    let (mut off, mut spread) = (0.0, 0.0);
    for (answer, value) in answers.zip(truth) {
        off += (answer - f64::from(*value)).powi(2);
        spread += (f64::from(*value) - mean).powi(2);
    }
    1.0 - off / spread
}

/// 1 - Σ d(θ̂, θ)² / Σ d(circular mean, θ)²
fn r2_of_angles(answers: &Array1<f64>, truth: &Array1<f64>) -> f64 {
    let mean = circular_mean(truth.iter().copied());
    let (mut off, mut spread) = (0.0, 0.0);
    for (answer, angle) in answers.iter().zip(truth) {
        off += half_turns_apart(*answer, *angle).powi(2);
        spread += half_turns_apart(mean, *angle).powi(2);
    }
    1.0 - off / spread
}

/// Spearman's correlation, which is 0 where all answers are the same.
fn rank_or_zero(answers: ArrayView1<f32>, truth: ArrayView1<f32>) -> f64 {
    let rank = spearman(answers.insert_axis(Axis(1)), truth.insert_axis(Axis(1)))[[0, 0]];
    if rank.is_nan() { 0.0 } else { rank }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use ndarray::array;

    use super::*;
    use crate::factors::Factor;

    #[test]
    fn r2_is_one_for_the_truth_zero_for_the_mean_and_below_for_worse() {
        let truth = array![1.0, 2.0, 6.0];
        let of = |answers: [f64; 3]| r2_of_numbers(answers.into_iter(), truth.view());
        assert_eq!(of([1.0, 2.0, 6.0]), 1.0);
        assert_eq!(of([3.0, 3.0, 3.0]), 0.0);
        // (1 + 0 + 9) / (4 + 1 + 9) is lost.
        assert!((of([2.0, 2.0, 3.0]) - 4.0 / 14.0).abs() < 1e-12);
        assert!(of([6.0, 2.0, 1.0]) < 0.0);
        assert_eq!(rank_or_zero(array![5.0, 5.0, 5.0].view(), truth.view()), 0.0);
    }

    #[test]
    fn r2_of_angles_is_by_degrees_the_shorter_way_round() {
        let degrees = |angles: [f64; 3]| Array1::from(angles.map(f64::to_radians).to_vec());
        let truth = degrees([350.0, 0.0, 10.0]);
        let of = |answers: [f64; 3]| r2_of_angles(&degrees(answers), &truth);
        assert!((of([-10.0, 360.0, 370.0]) - 1.0).abs() < 1e-12);
        assert!(of([0.0, 0.0, 0.0]).abs() < 1e-12);
        // 20² of 10² + 10² is lost twice.
        assert!((of([10.0, 0.0, 350.0]) - (1.0 - 800.0 / 200.0)).abs() < 1e-9);
    }

    /// A number and an angle.
    fn table() -> Representation<'static> {
        let values = array![[1.0, 0.1], [3.0, 1.8], [5.0, 3.3], [7.0, -1.5], [2.0, 2.3]];
        let factors = vec![Factor::continuous("n"), Factor::angle("a")];
        Representation::new(Array2::zeros((5, 1)), values, factors).unwrap()
    }

    #[test]
    fn an_angle_is_asked_for_as_a_point_and_read_back() {
        let table = table();
        let heads = heads(&table, &table).unwrap();
        let wanted = wanted(&heads, table.values.view());
        assert_eq!(wanted.dim(), (5, 3));
        // All outputs of a factor have variance 1 together.
        let variance = |k: usize| wanted.column(k).var(0.0);
        assert!((variance(0) - 1.0).abs() < 1e-5);
        assert!((variance(1) + variance(2) - 1.0).abs() < 1e-5);
        for head in &heads {
            assert!((head.r2(wanted.view(), wanted.view()) - 1.0).abs() < 1e-9);
            assert!((head.rank(wanted.view(), wanted.view()) - 1.0).abs() < 1e-6);
        }
        // Its size says nothing: a point half as far from the middle has the same direction.
        let Form::Angle { mean, spread } = heads[1].form else { panic!("an angle") };
        let mut half = wanted.clone();
        for (k, mean) in mean.into_iter().enumerate() {
            half.column_mut(1 + k).mapv_inplace(|x| 0.5 * x - (0.5 * mean / spread) as f32);
        }
        assert!((heads[1].r2(half.view(), wanted.view()) - 1.0).abs() < 1e-9);
        assert!((heads[1].rank(half.view(), wanted.view()) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn an_angle_of_whole_turns_does_not_change() {
        let mut turns = table();
        turns.values.column_mut(1).assign(&array![0.0, 2.0 * PI, 4.0 * PI, 0.0, -2.0 * PI]);
        let heads = heads(&turns, &turns).unwrap();
        assert_eq!((heads.len(), heads[0].factor), (1, 0));
    }
}
