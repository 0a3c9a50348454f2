//! The network that reads concepts off images, taught on real ones.

use unbraid_measure::data::{self, Dataset, Draw, Sampler, Supervision};
use unbraid_measure::graph::Graph;
use unbraid_measure::predictors::attribution::{Parts, attribute};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::compute::workers::on_workers;
use crate::error::Result;
use crate::model::batch::Seen;
use crate::model::learner::Learner;
use crate::model::{Step, Task};
use crate::models;
use crate::parts::schedule::cosine_decay;

/// Rows that tell who draws what.
const LOOKED_AT: usize = 2000;
/// How the reader is taught.
const STEPS: u64 = 1500;
const BATCH: usize = 64;
const RATE: f64 = 1e-3;

/// The reader, taught on these data, whose labels are the concepts of this graph.
///
/// In the data a shadow tells where the light is, and a reader would look at both; under an intervention
/// one must not be taken for the other. So the parts of real images (`predictors/attribution.rs`) are put
/// together anew, each from another row with its labels, and every concept is read where it is drawn.
pub fn taught(
    data: &dyn Dataset,
    binarize: bool,
    graph: &Graph,
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Box<dyn Learner>> {
    let entry = models::find("supervised")?;
    let task = &Task::of(data);
    let method = (entry.configure)(&toml::Table::new(), task)?;
    let sampler = Sampler::new(data, Supervision::Labels, binarize, rng.split("batches"))?;
    let seen = Seen::of(data, &data::labelled_rows(data, LOOKED_AT, &rng.split("parts")));
    let labels = seen.labels.expect("concepts are labels");
    let axes = task.shape.axes();
    let parts = attribute(&seen.observations, &labels, graph, axes);
    let mixed = Mixed::new(&parts, labels.ncols());
    let stage = Stage::new(watch, "teaching a reader");
    on_workers(|| {
        let mut reader = method.build(task, &rng.split("weights"));
        reader.fit(data, &rng.split("fit"), watch)?;
        for done in 0..STEPS {
            let rate = cosine_decay(RATE, done as f64 / STEPS as f64);
            let draw = sampler.draw(done, BATCH.min(data.len()));
            let draw = mixed.apply(draw, &rng.split("mixed").at(done));
            reader.step(&draw, Step::new(done, STEPS, rng), rate);
            stage.advance(1.0 / STEPS as f64)?;
        }
        Ok(reader)
    })
}

/// Groups of parts that can be exchanged between images: no concept draws in two of them.
struct Mixed {
    /// The group of each number of an observation, and of each concept.
    of_number: Vec<usize>,
    of_concept: Vec<usize>,
    groups: usize,
}

impl Mixed {
    fn new(parts: &Parts, concepts: usize) -> Self {
        // A concept that draws nowhere is read off all of an image, which then must stay whole.
        if (0..concepts).any(|concept| !parts.sets.iter().flatten().any(|one| *one == concept)) {
            let of_number = vec![0; parts.of_number.len()];
            return Self { of_number, of_concept: vec![0; concepts], groups: 1 };
        }
        // Concepts that draw together are in one group: the least of them names it.
        let mut of_concept: Vec<usize> = (0..concepts).collect();
        loop {
            let before = of_concept.clone();
            for set in &parts.sets {
                let least = set.iter().map(|&concept| of_concept[concept]).min().unwrap_or(0);
                for &concept in set {
                    of_concept[concept] = least;
                }
            }
            if of_concept == before {
                break;
            }
        }
        let group = |part: &usize| parts.sets[*part].first().map_or(0, |&first| of_concept[first]);
        let of_number = parts.of_number.iter().map(group).collect();
        Self { of_number, of_concept, groups: concepts }
    }

    /// Each group of each image from another row, with the labels of its concepts.
    fn apply(&self, draw: Draw, rng: &Rng) -> Draw {
        let count = draw.count;
        let (size, width) = (draw.views[0].len() / count, draw.labels.len() / count);
        let from: Vec<Vec<usize>> =
            (0..self.groups).map(|group| rng.at(group as u64).permutation(count)).collect();
        let mut mixed = draw.clone();
        let images = mixed.views[0].chunks_mut(size).enumerate();
        for ((row, image), label) in images.zip(mixed.labels.chunks_mut(width)) {
            for ((number, out), group) in image.iter_mut().enumerate().zip(&self.of_number) {
                *out = draw.views[0][from[*group][row] * size + number];
            }
            for ((concept, out), group) in label.iter_mut().enumerate().zip(&self.of_concept) {
                *out = draw.labels[from[*group][row] * width + concept];
            }
        }
        mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_change_places_with_the_labels_of_their_concepts() {
        const CONCEPTS: usize = 3;
        // Concept 0 draws the first number; 1 and 2 draw the others together.
        let parts = Parts { sets: vec![vec![0], vec![1, 2]], of_number: vec![0, 1, 1] };
        let mixed = Mixed::new(&parts, CONCEPTS);
        // Row r has the numbers and labels 10 r, 10 r + 1, 10 r + 2.
        let rows: Vec<f32> = (0..12).map(|k| (10 * (k / 3) + k % 3) as f32).collect();
        let draw = Draw { count: 4, views: vec![rows.clone()], labels: rows, ..Draw::default() };
        let out = mixed.apply(draw.clone(), &Rng::new(1));
        assert_eq!(out.views[0], out.labels, "each number goes with the label of who draws it");
        assert_ne!(out.labels, draw.labels);
        for row in out.labels.chunks(3) {
            assert_eq!(row[2] - row[1], 1.0, "what is drawn together stays together");
        }
    }

    #[test]
    fn a_concept_that_draws_twice_binds_both_parts() {
        const CONCEPTS: usize = 3;
        let parts = Parts { sets: vec![vec![2], vec![1, 2], vec![0]], of_number: vec![0, 1, 2] };
        let mixed = Mixed::new(&parts, CONCEPTS);
        assert_eq!(mixed.of_number[0], mixed.of_number[1]);
        assert_ne!(mixed.of_number[0], mixed.of_number[2]);
    }

    #[test]
    fn a_concept_that_draws_nowhere_keeps_images_whole() {
        let parts = Parts { sets: vec![vec![0], vec![1]], of_number: vec![0, 1, 1] };
        let mixed = Mixed::new(&parts, 3);
        let rows: Vec<f32> = (0..12).map(|k| (10 * (k / 3) + k % 3) as f32).collect();
        let draw = Draw { count: 4, views: vec![rows.clone()], labels: rows, ..Draw::default() };
        let out = mixed.apply(draw, &Rng::new(1));
        assert_eq!(out.views[0], out.labels);
        for row in out.labels.chunks(3) {
            assert_eq!([row[1] - row[0], row[2] - row[0]], [1.0, 2.0], "rows are not mixed");
        }
    }
}
