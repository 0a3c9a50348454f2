//! Triplets: interchange interventions whose truth is known. The latents of two images are combined by block,
//! decoded, read by a causal encoder, and compared with the true mixture (CITRIS, Lippe et al. 2022).

use ndarray::Array2;
use serde_json::{Value as Json, json};
use unbraid_measure::data::{self, Dataset, Triplet};
use unbraid_measure::watch::{Stage, Watch};

use super::causal_encoder::CausalEncoder;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// How many triplets are judged at most.
const JUDGED: usize = 2000;
/// Triplets that are decoded at once.
const CHUNK: usize = 256;

/// The first of two rows of codes with the latents of some factors from the second. Latents of no factor
/// stay those of the first.
pub fn swapped(
    first: &[f32],
    second: &[f32],
    blocks: &[Option<usize>],
    from_second: &[bool],
) -> Vec<f32> {
    let taken = |block: &Option<usize>| block.is_some_and(|factor| from_second[factor]);
    let latents = first.iter().zip(second).zip(blocks);
    latents.map(|((one, other), block)| if taken(block) { *other } else { *one }).collect()
}

/// How far the factors of predicted mixtures are from the true ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// The factors.
    pub names: Vec<String>,
    /// The mean distance of each: numbers in their own units, angles in half turns, categories as the share
    /// of errors.
    pub model: Vec<f64>,
    /// The same of the causal encoder on the true mixtures.
    pub floor: Vec<f64>,
    /// How many triplets.
    pub triplets: usize,
}

/// The triplets of a data set, at most so many.
pub fn all(data: &dyn Dataset, most: usize) -> Vec<Triplet> {
    (0..most).map_while(|number| data.triplet(number)).collect()
}

/// The observations that a model makes of some triplets, `[triplets, numbers]`.
pub fn predicted(
    learner: &dyn Learner,
    data: &dyn Dataset,
    blocks: &[Option<usize>],
    triplets: &[Triplet],
) -> Result<Array2<f32>> {
    let codes = |which: usize| {
        let rows: Vec<usize> = triplets.iter().map(|triplet| triplet.rows[which]).collect();
        learner.encode(&Seen::of(data, &rows))
    };
    let (first, second) = (codes(0), codes(1));
    let rows = triplets.iter().zip(first.rows()).zip(second.rows());
    let mixed: Vec<f32> = rows
        .flat_map(|((triplet, one), other)| {
            swapped(&one.to_vec(), &other.to_vec(), blocks, &triplet.from_second)
        })
        .collect();
    let mixed = Array2::from_shape_vec(first.dim(), mixed).expect("a row for each triplet");
    let none = || Error::Unable("this model has no decoder, so it can make no mixture".into());
    learner.decode(mixed.view()).ok_or_else(none)
}

/// Judge a model by the triplets of a data set.
pub fn measure(
    learner: &dyn Learner,
    encoder: &CausalEncoder,
    data: &dyn Dataset,
    blocks: &[Option<usize>],
    watch: &dyn Watch,
) -> Result<Distances> {
    let triplets = all(data, JUDGED);
    if triplets.is_empty() {
        return Err(Error::Unable("these data have no triplets".into()));
    }
    let stage = Stage::new(watch, "triplets");
    let heads = encoder.heads();
    let mut sums = [vec![0.0; heads.len()], vec![0.0; heads.len()]];
    for chunk in triplets.chunks(CHUNK) {
        let third: Vec<usize> = chunk.iter().map(|triplet| triplet.rows[2]).collect();
        let truth = data::values(data, &third);
        let read = [
            encoder.read(predicted(learner, data, blocks, chunk)?),
            encoder.read(data::observations(data, &third)),
        ];
        for (sums, read) in sums.iter_mut().zip(read) {
            for (k, head) in heads.iter().enumerate() {
                let pairs = read.column(k).into_iter().zip(truth.column(k));
                sums[k] += pairs.map(|(a, b)| f64::from(head.distance(*a, *b))).sum::<f64>();
            }
        }
        stage.advance(chunk.len() as f64 / triplets.len() as f64)?;
    }
    let count = triplets.len() as f64;
    let [model, floor] = sums.map(|sums| sums.into_iter().map(|sum| sum / count).collect());
    let names = data.factors().iter().map(|factor| factor.name.clone()).collect();
    Ok(Distances { names, model, floor, triplets: triplets.len() })
}

impl Distances {
    /// The mean over factors, of the model and of the causal encoder alone.
    pub fn mean(&self) -> [f64; 2] {
        [&self.model, &self.floor].map(|each| each.iter().sum::<f64>() / each.len().max(1) as f64)
    }

    /// One document.
    pub fn to_json(&self) -> Json {
        let [model, floor] = self.mean();
        let each = self.names.iter().enumerate();
        let factors: Vec<Json> = each
            .map(|(k, name)| json!({"name": name, "distance": self.model[k], "floor": self.floor[k]}))
            .collect();
        json!({
            "format": 1, "triplets": self.triplets, "distance": model, "floor": floor,
            "factors": factors,
        })
    }
}

/// The first, the second and the third observation of each triplet, `[triplets, numbers]` each.
pub fn rows_of(data: &dyn Dataset, triplets: &[Triplet]) -> [Array2<f32>; 3] {
    [0, 1, 2].map(|which| {
        let rows: Vec<usize> = triplets.iter().map(|triplet| triplet.rows[which]).collect();
        data::observations(data, &rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latents_of_chosen_factors_come_from_the_second_and_the_rest_stays() {
        let blocks = [Some(1), None, Some(0), Some(1)];
        let (first, second) = ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]);
        let mix = |from: [bool; 2]| swapped(&first, &second, &blocks, &from);
        assert_eq!(mix([false, true]), [10.0, 2.0, 3.0, 40.0]);
        assert_eq!(mix([false, false]), first);
        assert_eq!(mix([true, true]), [10.0, 2.0, 30.0, 40.0]);
    }
}
