//! What a model makes of actions, held against the true images: is the intended factor moved by one step, and does
//! everything else stay?
//!
//! An image is read by the nearest of all true ones that differ from the expected one in one factor at most: it was made
//! right if the nearest is the expected one itself. Reconstructions of true images are read in the same way; how many of
//! them are read right is the ceiling of what a decoder can show.

use ndarray::{Array2, ArrayView1};
use serde_json::{Value as Json, json};
use unbraid_measure::data::{Dataset, Do, undone};
use unbraid_measure::factors::Kind;
use unbraid_measure::info::did_you_mean;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// How often an action is repeated in the longer course.
pub const OFTEN: usize = 5;
/// Images that are judged together.
const CHUNK: usize = 64;

/// What an action does to a row: these values, none beyond the last value of a factor.
pub fn after(data: &dyn Dataset, row: usize, action: usize, times: usize) -> Option<Vec<f32>> {
    let actions = data.actions().len();
    if !undone(data.actions()) {
        return None;
    }
    let (factor, up) = (action % (actions / 2), action < actions / 2);
    let Kind::Discrete(steps) = &data.factors().get(factor)?.kind else { return None };
    let mut values = values_of(data, row);
    let at = steps.iter().position(|value| *value == values[factor])?;
    let to = if up { at + times } else { at.checked_sub(times)? };
    values[factor] = *steps.get(to)?;
    Some(values)
}

fn values_of(data: &dyn Dataset, row: usize) -> Vec<f32> {
    let mut values = vec![0.0; data.factors().len()];
    data.values(row, &mut values);
    values
}

/// The true image with these values, as it would have been in place of a row.
pub fn image(data: &dyn Dataset, row: usize, values: &[f32]) -> Option<Vec<f32>> {
    let before = values_of(data, row);
    let changed = (0..values.len()).filter(|k| before[*k] != values[*k]);
    let dos: Vec<Do> = changed.map(|factor| Do { factor, value: values[factor] }).collect();
    Some(data.counterfactual(row, &dos)?.observation)
}

/// The values of the nearest of all true images that have the expected values but for one factor at most.
pub fn read(
    data: &dyn Dataset,
    row: usize,
    expected: &[f32],
    image: ArrayView1<f32>,
) -> Option<Vec<f32>> {
    let mut nearest = (distance(&self::image(data, row, expected)?, image), expected.to_vec());
    for (factor, known) in data.factors().iter().enumerate() {
        let Kind::Discrete(steps) = &known.kind else { continue };
        for value in steps.iter().filter(|value| **value != expected[factor]) {
            let mut values = expected.to_vec();
            values[factor] = *value;
            let Some(other) = self::image(data, row, &values) else { continue };
            let away = distance(&other, image);
            // An image that looks the same is no mistake.
            if away < nearest.0 {
                nearest = (away, values);
            }
        }
    }
    Some(nearest.1)
}

fn distance(one: &[f32], other: ArrayView1<f32>) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from((a - b).powi(2))).sum()
}

/// How images came out after an action was done some times.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// For each action how many images were judged, were right, and whose reconstruction of the truth was right.
    pub actions: Vec<[usize; 3]>,
    /// Squared errors per number: of the model's image, of the reconstruction of the true one, of the image before.
    pub errors: [f64; 3],
}

impl Outcome {
    fn count(&self, which: usize) -> usize {
        self.actions.iter().map(|action| action[which]).sum()
    }

    fn to_json(&self, names: &[String]) -> Json {
        let rows = self.count(0).max(1) as f64;
        let [error, floor, still] = self.errors.map(|sum| sum / rows);
        let action = |(name, [count, right, floor]): (&String, &[usize; 3])| json!({ "name": name, "images": count, "right": right, "reconstructions_right": floor });
        json!({
            "images": self.count(0),
            "right": self.count(1) as f64 / rows,
            "floor": self.count(2) as f64 / rows,
            "error": error,
            "error_of_reconstructions": floor,
            "error_ratio": error / floor,
            "error_if_nothing_moved": still,
            "actions": names.iter().zip(&self.actions).map(action).collect::<Vec<_>>(),
        })
    }
}

/// Let a model do the action of each step of these data, once and five times, as far as the factor goes; at most so
/// many of each.
pub fn measure(
    learner: &dyn Learner,
    data: &dyn Dataset,
    most: usize,
    watch: &dyn Watch,
) -> Result<Json> {
    let stage = Stage::new(watch, "acting");
    let mut document = json!({ "format": 1, "times": OFTEN });
    for (key, times) in [("once", 1), ("often", OFTEN)] {
        let cases = cases(data, times, most);
        if cases.is_empty() && times > 1 {
            // No factor has so many values.
            break;
        }
        if cases.is_empty() {
            return Err(Error::Unable(
                "these data have no true images of what actions do; make pairs of a data set whose factors have a list of \
                 values, with `data.variant.transitions`"
                    .into(),
            ));
        }
        let mut outcome =
            Outcome { actions: vec![[0; 3]; data.actions().len()], ..Outcome::default() };
        for chunk in cases.chunks(CHUNK) {
            judge(learner, data, chunk, times, &mut outcome)?;
            stage.advance(chunk.len() as f64 / cases.len() as f64 / 2.0)?;
        }
        document[key] = outcome.to_json(data.actions());
    }
    Ok(document)
}

/// A row, the action that is done there, and the values it leads to.
type Case = (usize, usize, Vec<f32>);

fn cases(data: &dyn Dataset, times: usize, most: usize) -> Vec<Case> {
    let of = |row: usize| {
        let action = data.next(row)?.action.iter().position(|one| *one == 1.0)?;
        let values = after(data, row, action, times)?;
        image(data, row, &values).map(|_| (row, action, values))
    };
    (0..data.len()).filter_map(of).take(most).collect()
}

fn judge(
    learner: &dyn Learner,
    data: &dyn Dataset,
    cases: &[Case],
    times: usize,
    outcome: &mut Outcome,
) -> Result<()> {
    let rows: Vec<usize> = cases.iter().map(|(row, ..)| *row).collect();
    let seen = Seen::of(data, &rows);
    let done: Vec<usize> = cases.iter().map(|(_, action, _)| *action).collect();
    let made = acted(learner, data, &seen, &done, times)?;
    let size = data.shape().size();
    let truths = cases.iter().flat_map(|(row, _, values)| {
        image(data, *row, values).expect("looked at when cases were chosen")
    });
    let truths =
        Array2::from_shape_vec((cases.len(), size), truths.collect()).expect("whole images");
    let codes = learner.encode(&Seen { observations: truths.clone(), labels: None });
    let again = learner.decode(codes.view()).ok_or_else(no_decoder)?;
    for (k, (row, action, values)) in cases.iter().enumerate() {
        let truth = truths.row(k).to_vec();
        let images = [made.row(k), again.row(k)];
        let right =
            images.map(|image| read(data, *row, values, image).is_some_and(|read| read == *values));
        let counts = &mut outcome.actions[*action];
        counts[0] += 1;
        counts[1] += usize::from(right[0]);
        counts[2] += usize::from(right[1]);
        let images = [images[0], images[1], seen.observations.row(k)];
        for (sum, image) in outcome.errors.iter_mut().zip(images) {
            *sum += distance(&truth, image) / size as f64;
        }
    }
    Ok(())
}

/// The images after an action of each row was done some times.
fn acted(
    learner: &dyn Learner,
    data: &dyn Dataset,
    seen: &Seen,
    done: &[usize],
    times: usize,
) -> Result<Array2<f32>> {
    let mut actions = Array2::zeros((done.len(), data.actions().len()));
    done.iter().enumerate().for_each(|(row, action)| actions[[row, *action]] = 1.0);
    let targets = Array2::zeros((done.len(), data.factors().len()));
    let mut codes = learner.encode(seen);
    for _ in 0..times {
        codes = learner.next(codes.view(), targets.view(), actions.view()).ok_or_else(|| {
            Error::Unable(
                "this model does not say what an action does to an image; train ct-vae".into(),
            )
        })?;
    }
    learner.decode(codes.view()).ok_or_else(no_decoder)
}

fn no_decoder() -> Error {
    Error::Unable("this model has no decoder, so it can draw nothing".into())
}

/// The number of an action by its name.
pub fn number(data: &dyn Dataset, name: &str) -> Result<usize> {
    let known = data.actions();
    known.iter().position(|action| action == name).ok_or_else(|| {
        Error::Unable(match known {
            [] => "these data have no actions with names".into(),
            known => {
                let hint = did_you_mean(name, known.iter().map(String::as_str));
                format!("unknown action `{name}`{hint} (known: {})", known.join(", "))
            }
        })
    })
}
