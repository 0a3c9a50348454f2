//! A modular decoder: parts of the image, each decoded from few concepts (see
//! `predictors/attribution.rs` of the measure crate).
//!
//! A decoder of all latents may render a shadow from the light as well as from the shadow's own
//! latent: both determine it, and observational data cannot distinguish them. An intervention does.
//! So each pixel is assigned to the smallest set of concepts that explains it, and is decoded from
//! these latents alone.

use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use unbraid_measure::data::Shape;
use unbraid_measure::predictors::attribution::Parts;

use crate::model::batch;
use crate::parts::nets::layers::fixed;

/// The parts of an image: the concepts that each is decoded from, and its pixels.
#[derive(Module, Debug)]
pub struct Canvas {
    /// `[parts, concepts]`, 1 where a part is decoded from a concept.
    concepts: Param<Tensor<2>>,
    /// `[parts, numbers]`, 1 for the pixels of a part; each number belongs to one part.
    places: Param<Tensor<2>>,
}

impl Canvas {
    /// Before it is fitted: one part, decoded from all concepts.
    pub fn new(concepts: usize, shape: Shape, device: &Device) -> Self {
        let all = Parts { sets: vec![(0..concepts).collect()], of_number: vec![0; shape.size()] };
        Self::of(&all, concepts, device)
    }

    /// With these parts.
    pub fn of(found: &Parts, concepts: usize, device: &Device) -> Self {
        // One row for each concept and one for all of them, used or not: weights have a fixed shape.
        let (parts, size) = (concepts + 1, found.of_number.len());
        let mut who = vec![0.0; parts * concepts];
        for (part, set) in found.sets.iter().enumerate() {
            for concept in set {
                who[part * concepts + concept] = 1.0;
            }
        }
        let mut places = vec![0.0; parts * size];
        for (k, part) in found.of_number.iter().enumerate() {
            places[part * size + k] = 1.0;
        }
        Self {
            concepts: fixed(who, [parts, concepts], device),
            places: fixed(places, [parts, size], device),
        }
    }

    /// How many parts are used; they come first.
    pub fn parts(&self) -> usize {
        let [rows, concepts] = self.concepts.dims();
        let who = batch::numbers(self.concepts.val());
        let used = |row: &usize| who[row * concepts..][..concepts].iter().any(|one| *one != 0.0);
        (0..rows).filter(used).count()
    }

    /// The concepts and the pixels of a part for each row, `[batch, concepts]`, `[batch, numbers]`.
    pub fn of_rows(&self, part_of_row: &[usize]) -> [Tensor<2>; 2] {
        let device = self.concepts.val().device();
        let indices: Vec<i64> = part_of_row.iter().map(|part| *part as i64).collect();
        let indices = TensorData::new(indices, [part_of_row.len()]);
        let indices: Tensor<1, Int> = Tensor::from_data(indices, &device);
        [&self.concepts, &self.places].map(|all| all.val().select(0, indices.clone()))
    }

    /// The set of concepts that each number of an observation is decoded from.
    pub fn sets(&self) -> Parts {
        let [_, concepts] = self.concepts.dims();
        let [rows, size] = self.places.dims();
        let (who, places) =
            (batch::numbers(self.concepts.val()), batch::numbers(self.places.val()));
        let set = |row: usize| (0..concepts).filter(|k| who[row * concepts + k] != 0.0).collect();
        let part = |number: usize| (0..rows).find(|row| places[row * size + number] != 0.0);
        Parts {
            sets: (0..self.parts()).map(set).collect(),
            of_number: (0..size).map(|number| part(number).unwrap_or(0)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use unbraid_measure::data::Range;

    #[test]
    fn rows_get_the_concepts_and_the_places_of_their_part() {
        let parts = Parts { sets: vec![vec![1], vec![0, 2]], of_number: vec![0, 1, 1, 0] };
        let canvas = Canvas::of(&parts, 3, &device::inference());
        assert_eq!((canvas.parts(), canvas.sets()), (2, parts));
        let [who, places] = canvas.of_rows(&[1, 0]).map(batch::numbers);
        assert_eq!(who, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(places, [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let shape = Shape { channels: 1, height: 2, width: 2, range: Range::Unit };
        assert_eq!(Canvas::new(3, shape, &device::inference()).sets().sets, [[0, 1, 2]]);
    }
}
