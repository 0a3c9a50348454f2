//! The causal encoder: a network that reads the true factors off images, taught on real ones, by which
//! images that a model has made up are judged (CITRIS, Lippe et al. 2022). Numbers are predicted as they are,
//! angles as sine and cosine, categories as one number per value.

use std::f32::consts::{PI, TAU};

use ndarray::{Array2, ArrayView1};
use unbraid_measure::data::{self, Dataset, Sampler, Shape, Supervision};
use unbraid_measure::factors::{Factor, Kind};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::compute::workers::on_workers;
use crate::error::Result;
use crate::model::batch::Seen;
use crate::model::learner::Learner;
use crate::model::{Step, Task};
use crate::models;
use crate::parts::schedule::cosine_decay;

/// How it is taught: enough to read positions to a hundredth of the field.
pub const STEPS: u64 = 4000;
const BATCH: usize = 128;
const RATE: f64 = 1e-3;
/// A discrete factor with more values is read as a number.
const CATEGORIES: usize = 10;
/// Rows by which it is known what values occur, and of how many one must be of a category.
const SEEN: usize = 20_000;
const RARE: usize = 500;

/// A network that reads factors off observations.
pub struct CausalEncoder {
    reader: Box<dyn Learner>,
    heads: Vec<Head>,
}

/// How a factor is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// As a number.
    Number,
    /// As sine and cosine.
    Angle,
    /// As one of these values.
    Category(Vec<f32>),
    /// Not at all: it never changes in the data.
    Constant(f32),
}

impl Head {
    /// By the kind of a factor and the values it has. A category that hardly occurs cannot be learned.
    fn of(factor: &Factor, column: ArrayView1<f32>) -> Self {
        let first = column.first().copied().unwrap_or(0.0);
        if column.iter().all(|value| *value == first) {
            return Self::Constant(first);
        }
        match &factor.kind {
            Kind::Discrete(values) if values.len() <= CATEGORIES => {
                let least = column.len().div_ceil(RARE);
                let count = |value: &f32| column.iter().filter(|other| *other == value).count();
                let common = values.iter().filter(|value| count(value) >= least);
                match common.copied().collect::<Vec<f32>>()[..] {
                    [one] => Self::Constant(one),
                    ref several => Self::Category(several.to_vec()),
                }
            }
            Kind::Discrete(_) | Kind::Continuous => Self::Number,
            Kind::Angle => Self::Angle,
        }
    }

    fn width(&self) -> usize {
        match self {
            Self::Number => 1,
            Self::Angle => 2,
            Self::Category(values) => values.len(),
            Self::Constant(_) => 0,
        }
    }

    fn write(&self, value: f32, out: &mut Vec<f32>) {
        match self {
            Self::Number => out.push(value),
            Self::Angle => out.extend([value.sin(), value.cos()]),
            Self::Category(values) => {
                out.extend(values.iter().map(|one| f32::from(u8::from(*one == value))));
            }
            Self::Constant(_) => {}
        }
    }

    fn read(&self, numbers: &[f32]) -> f32 {
        match self {
            Self::Number => numbers[0],
            Self::Angle => numbers[0].atan2(numbers[1]).rem_euclid(TAU),
            Self::Category(values) => {
                let larger =
                    |best: usize, k: usize| if numbers[k] > numbers[best] { k } else { best };
                values[(0..values.len()).fold(0, larger)]
            }
            Self::Constant(value) => *value,
        }
    }

    /// How far two values are apart: numbers in their own units, angles in half turns, categories 0 or 1.
    pub fn distance(&self, one: f32, other: f32) -> f32 {
        match self {
            Self::Number | Self::Constant(_) => (one - other).abs(),
            Self::Angle => {
                let apart = (one - other).rem_euclid(TAU);
                apart.min(TAU - apart) / PI
            }
            Self::Category(_) => f32::from(u8::from(one != other)),
        }
    }
}

impl CausalEncoder {
    /// Teach one on these data, in so many steps.
    pub fn taught(data: &dyn Dataset, steps: u64, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        let rows = data::labelled_rows(data, SEEN, &rng.split("kinds"));
        let values = data::values(data, &rows);
        let factors = data.factors().iter().zip(values.columns());
        let heads: Vec<Head> = factors.map(|(factor, column)| Head::of(factor, column)).collect();
        let told = Told { data, heads: &heads };
        let task = &Task::of(&told);
        let method = (models::find("supervised")?.configure)(&toml::Table::new(), task)?;
        let sampler = Sampler::new(&told, Supervision::Labels, false, rng.split("batches"))?;
        let stage = Stage::new(watch, "teaching a causal encoder");
        let reader = on_workers(|| -> Result<_> {
            let mut reader = method.build(task, &rng.split("weights"));
            reader.fit(&told, &rng.split("fit"), watch)?;
            for done in 0..steps {
                let rate = cosine_decay(RATE, done as f64 / steps as f64);
                let draw = sampler.draw(done, BATCH.min(data.len()));
                reader.step(&draw, Step::new(done, steps, rng), rate);
                stage.advance(1.0 / steps as f64)?;
            }
            Ok(reader)
        })?;
        Ok(Self { reader, heads })
    }

    /// How each factor is read.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The factors of observations, `[rows, factors]`.
    pub fn read(&self, observations: Array2<f32>) -> Array2<f32> {
        let numbers = self.reader.encode(&Seen { observations, labels: None });
        let mut values = Array2::zeros((numbers.nrows(), self.heads.len()));
        for (mut out, row) in values.rows_mut().into_iter().zip(numbers.rows()) {
            self.read_row(row, out.as_slice_mut().expect("a fresh array"));
        }
        values
    }

    fn read_row(&self, row: ArrayView1<f32>, out: &mut [f32]) {
        let row = row.to_vec();
        let mut from = 0;
        for (head, out) in self.heads.iter().zip(out) {
            *out = head.read(&row[from..from + head.width()]);
            from += head.width();
        }
    }
}

/// Data whose labels are what the heads predict.
struct Told<'a> {
    data: &'a dyn Dataset,
    heads: &'a [Head],
}

impl Dataset for Told<'_> {
    fn factors(&self) -> &[Factor] {
        &[]
    }

    fn shape(&self) -> Shape {
        self.data.shape()
    }

    fn len(&self) -> usize {
        self.data.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        self.data.observe(index, out);
    }

    fn values(&self, _index: usize, _out: &mut [f32]) {}

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut values = vec![0.0; self.heads.len()];
        self.data.values(index, &mut values);
        if !self.is_labelled(index) {
            return None;
        }
        let mut label = Vec::new();
        self.heads.iter().zip(values).for_each(|(head, value)| head.write(value, &mut label));
        (!label.is_empty()).then_some(label)
    }

    fn unlabelled(&self) -> usize {
        self.data.unlabelled()
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.data.is_labelled(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let heads = [Head::Number, Head::Angle, Head::Category(vec![0.0, 2.0, 4.0])];
        for (head, value) in heads.iter().zip([0.3, 4.0, 2.0]) {
            let mut numbers = Vec::new();
            head.write(value, &mut numbers);
            assert_eq!(numbers.len(), head.width());
            assert!((head.read(&numbers) - value).abs() < 1e-5);
        }
    }

    #[test]
    fn angles_are_close_across_zero_and_categories_differ_or_not() {
        assert!((Head::Angle.distance(0.1, TAU - 0.1) - 0.2 / PI).abs() < 1e-5);
        assert!((Head::Angle.distance(0.0, PI) - 1.0).abs() < 1e-6);
        let category = Head::Category(vec![0.0, 1.0]);
        assert_eq!([category.distance(0.0, 0.0), category.distance(0.0, 1.0)], [0.0, 1.0]);
    }
}
