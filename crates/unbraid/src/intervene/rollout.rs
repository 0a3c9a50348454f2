//! Roll-outs: from one frame, what is done and then what follows, by the learned transition and by the simulator
//! beside it.
//!
//! A model of causal variables knows latents, not values: a variable is set to a value by giving its latents those of
//! a frame that has this value. What follows are means, without the noise of the system; the simulator shows one of
//! the many ways it may go.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde_json::{Value as Json, json};
use unbraid_measure::data::{self, Dataset, Do, Done};
use unbraid_measure::rng::Rng;

use super::acting;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// What is done, and for how long it is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The frame to start from.
    pub row: usize,
    /// What is set in the first step.
    pub dos: Vec<Do>,
    /// The action of each step; the last one goes on.
    pub actions: Vec<Vec<f32>>,
    /// How many steps.
    pub steps: usize,
}

/// Frames `[1 + steps, numbers]`, the first the one that was started from.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// By the model; its first is its reconstruction.
    pub model: Array2<f32>,
    /// By the simulator, where the data have one.
    pub truth: Option<Array2<f32>>,
}

/// Follow a course.
pub fn follow(
    learner: &dyn Learner,
    data: &dyn Dataset,
    blocks: &[Option<usize>],
    course: &Course,
    rng: &Rng,
) -> Result<Rollout> {
    let model = by_model(learner, data, blocks, course)?;
    Ok(Rollout { model, truth: by_simulator(data, course, rng) })
}

impl Course {
    /// The number of the one named action that is done in every step.
    pub fn named(&self) -> Option<usize> {
        match &self.actions[..] {
            [action] => action.iter().position(|one| *one == 1.0),
            _ => None,
        }
    }

    /// The action of a step; none where there are none.
    fn action(&self, step: usize) -> &[f32] {
        self.actions.get(step).or(self.actions.last()).map_or(&[], |action| action)
    }
}

fn by_model(
    learner: &dyn Learner,
    data: &dyn Dataset,
    blocks: &[Option<usize>],
    course: &Course,
) -> Result<Array2<f32>> {
    let mut codes = learner.encode(&Seen::of(data, &[course.row]));
    let mut all = codes.clone();
    for step in 0..course.steps {
        let dos: &[Do] = if step == 0 { &course.dos } else { &[] };
        let mut targets = Array2::zeros((1, data.factors().len()));
        for set in dos {
            targets[[0, set.factor]] = 1.0;
        }
        let action = Array1::from(course.action(step).to_vec()).insert_axis(Axis(0));
        codes = learner.next(codes.view(), targets.view(), action.view()).ok_or_else(|| {
            Error::Unable(
                "this model does not say what follows a frame; citris-vae, citris-nf, biscuit-vae, biscuit-nf \
                 and transition-ivae do"
                    .into(),
            )
        })?;
        for set in dos {
            let other = learner.encode(&Seen::of(data, &[nearest(data, *set)]));
            let own = |latent: &usize| blocks[*latent] == Some(set.factor);
            (0..codes.ncols())
                .filter(own)
                .for_each(|latent| codes[[0, latent]] = other[[0, latent]]);
        }
        all.append(Axis(0), codes.view()).expect("one more row of the same latents");
    }
    learner
        .decode(all.view())
        .ok_or_else(|| Error::Unable("this model has no decoder, so it can draw nothing".into()))
}

/// The frame whose factor is nearest to a value.
fn nearest(data: &dyn Dataset, set: Do) -> usize {
    let mut values = vec![0.0; data.factors().len()];
    let mut off = |row: usize| {
        data.values(row, &mut values);
        (values[set.factor] - set.value).abs()
    };
    let distances: Vec<f32> = (0..data.len()).map(&mut off).collect();
    (0..data.len()).min_by(|a, b| distances[*a].total_cmp(&distances[*b])).unwrap_or(0)
}

/// The simulator from the same state, with the same things done.
fn by_simulator(data: &dyn Dataset, course: &Course, rng: &Rng) -> Option<Array2<f32>> {
    let Some(world) = data.world() else { return by_values(data, course) };
    let mut values = vec![0.0; data.factors().len()];
    data.values(course.row, &mut values);
    let mut frames = Array2::zeros((1 + course.steps, data.shape().size()));
    frames.row_mut(0).assign(&data::observations(data, &[course.row]).row(0));
    for step in 0..course.steps {
        let done = match (course.action(step), step) {
            ([], 0) if !course.dos.is_empty() => Done::Set(&course.dos),
            ([], _) => Done::Nothing,
            (action, _) => Done::Action(action),
        };
        values = world.step(&values, done, &mut rng.at(step as u64));
        world.draw(&values, frames.row_mut(step + 1).as_slice_mut()?);
    }
    Some(frames)
}

/// The true images where an action moves a factor by one step, as far as it goes.
fn by_values(data: &dyn Dataset, course: &Course) -> Option<Array2<f32>> {
    let action = course.named()?;
    let mut frames = data::observations(data, &[course.row]);
    for times in 1..=course.steps {
        let Some(values) = acting::after(data, course.row, action, times) else { break };
        let image = Array1::from(acting::image(data, course.row, &values)?);
        frames.push_row(image.view()).expect("images of one size");
    }
    Some(frames)
}

impl Rollout {
    /// Per step, the mean squared error per pixel against the simulator, and that of the first frame, as if
    /// nothing had moved.
    pub fn to_json(&self) -> Json {
        let error = |a: ArrayView1<f32>, b: ArrayView1<f32>| {
            let off = &a - &b;
            f64::from(off.dot(&off)) / off.len() as f64
        };
        let step = |(k, truth): (usize, ArrayView1<f32>)| {
            let still = self.truth.as_ref().map(|truth| truth.row(0)).expect("it has rows");
            json!({"step": k, "error": error(self.model.row(k), truth), "standing_still": error(still, truth)})
        };
        let steps: Option<Vec<Json>> = self
            .truth
            .as_ref()
            .map(|truth| truth.axis_iter(Axis(0)).enumerate().map(step).collect());
        json!({"format": 1, "steps": steps})
    }
}
