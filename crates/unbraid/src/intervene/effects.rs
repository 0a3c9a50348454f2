//! Whether interventions do what they say: counterfactuals of a model held against those of the
//! simulator, image by image and concept by concept.
//!
//! Concepts are read off images by a network that was taught on real ones (`supervised`), and its own
//! errors stand beside what it finds: no reading can be better than its reader.

use ndarray::{Array2, ArrayView1, Axis, concatenate};
use serde_json::{Value as Json, json};
use unbraid_measure::data::{self, Dataset, Do};
use unbraid_measure::graph::Graph;
use unbraid_measure::rng::Rng;
use unbraid_measure::stats::correlation;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::intervene::{self, Concept};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// Rows that are looked at, and values that each concept is set to.
const ROWS: usize = 256;
const VALUES: usize = 8;

/// What one intervention does, over rows and values.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The concept that is set.
    pub name: String,
    /// Mean squared error of a pixel against the true counterfactual.
    pub image_error: f64,
    /// The correlation of what is read of it with what it was set to.
    pub reached: f64,
    /// For each descendant: its name, and the correlation of what is read with the truth.
    pub descendants: Vec<(String, f64)>,
    /// For each other concept: its name, how far what is read moves, and how far it moves on the true
    /// counterfactuals, where it should not; as shares of its range.
    pub others: Vec<(String, f64, f64)>,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Rows that were looked at.
    pub rows: usize,
    /// Mean squared error of a pixel of reconstructions of the same rows.
    pub reconstruction_error: f64,
    /// The mean error of the reader on real images, as a share of the range of each concept.
    pub reader: Vec<(String, f64)>,
    /// By the concept that is set.
    pub concepts: Vec<Effect>,
}

/// The true graph over the concepts, if there is a simulator to hold interventions against.
pub fn simulated(tested: &dyn Dataset, known: &[Concept]) -> Result<Graph> {
    let possible = Do { factor: 0, value: known[0].quantile(0.5) };
    let graph = tested.graph().filter(|_| tested.counterfactual(0, &[possible]).is_some());
    let Some(graph) = graph else {
        return Err(Error::Unable(
            "effects are held against a simulator, and these data have none; `pendulum` and `flow` \
             are simulators"
                .into(),
        ));
    };
    match graph.len() == known.len() {
        true => Ok(graph.clone()),
        false => Err(Error::Unable(
            "the labels are not the factors of the simulator, so they cannot be compared".into(),
        )),
    }
}

/// Judge a model on `tested`, whose concepts are `known`, by a reader that was taught on other rows.
pub fn measure(
    learner: &dyn Learner,
    reader: &dyn Learner,
    tested: &dyn Dataset,
    known: &[Concept],
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Effects> {
    intervene::check_can_intervene(learner)?;
    let graph = simulated(tested, known)?;
    let rows = data::rows(tested, ROWS, rng);
    let judge = Judge::new(learner, reader, tested, rows, known);
    let stage = Stage::new(watch, "interventions");
    let effect = |k: usize| {
        let effect = judge.effect(k, &graph)?;
        stage.advance(1.0 / known.len() as f64)?;
        Ok(effect)
    };
    Ok(Effects {
        rows: judge.rows.len(),
        concepts: (0..known.len()).map(effect).collect::<Result<_>>()?,
        reconstruction_error: judge.reconstruction_error,
        reader: judge.reader_errors(),
    })
}

/// Rows with all that is known of them.
struct Judge<'a> {
    learner: &'a dyn Learner,
    reader: &'a dyn Learner,
    data: &'a dyn Dataset,
    rows: Vec<usize>,
    known: &'a [Concept],
    codes: Array2<f32>,
    /// What is read off the reconstructions, and off the images themselves.
    read_decoded: Array2<f32>,
    read_observed: Array2<f32>,
    reconstruction_error: f64,
}

impl<'a> Judge<'a> {
    fn new(
        learner: &'a dyn Learner,
        reader: &'a dyn Learner,
        data: &'a dyn Dataset,
        rows: Vec<usize>,
        known: &'a [Concept],
    ) -> Self {
        let seen = Seen::of(data, &rows);
        let codes = learner.encode(&seen);
        let decoded = learner.decode(codes.view()).expect("a model of concepts decodes");
        let reconstruction_error = squared(&seen.observations, &decoded);
        let read_decoded = read(reader, decoded);
        let read_observed = read(reader, seen.observations);
        Self {
            learner,
            reader,
            data,
            rows,
            known,
            codes,
            read_decoded,
            read_observed,
            reconstruction_error,
        }
    }

    /// Set one concept to values over its range, a share of the rows each.
    fn effect(&self, factor: usize, graph: &Graph) -> Result<Effect> {
        let mut parts: Vec<Answered> = Vec::new();
        for k in 0..VALUES {
            let value = self.known[factor].quantile((k as f64 + 0.5) / VALUES as f64);
            let places: Vec<usize> = (0..self.rows.len()).filter(|row| row % VALUES == k).collect();
            parts.extend(self.answered(&places, Do { factor, value })?);
        }
        if parts.is_empty() {
            let name = &self.known[factor].name;
            let text = format!("the simulator calls every value of `{name}` impossible");
            return Err(Error::Unable(text));
        }
        let error = parts.iter().map(|part| part.error * part.rows as f64).sum::<f64>();
        let rows: usize = parts.iter().map(|part| part.rows).sum();
        let all = |which: fn(&Answered) -> &Array2<f32>| {
            let views: Vec<_> = parts.iter().map(|part| which(part).view()).collect();
            concatenate(Axis(0), &views).expect("a column for each concept")
        };
        let (found, truth) = (all(|part| &part.read), all(|part| &part.truth));
        let (moved, moved_truly) = (all(|part| &part.moved), all(|part| &part.moved_truly));
        let below = graph.descendants(factor);
        let name = |k: usize| self.known[k].name.clone();
        let follows = |&k: &usize| (name(k), pearson(found.column(k), truth.column(k)));
        let stays = |k: usize| {
            let [low, high] = self.known[k].range();
            let share = |moved: &Array2<f32>| {
                let size = moved.column(k).iter().map(|d| f64::from(d.abs())).sum::<f64>();
                size / moved.nrows() as f64 / f64::from((high - low).max(f32::MIN_POSITIVE))
            };
            (name(k), share(&moved), share(&moved_truly))
        };
        Ok(Effect {
            name: name(factor),
            image_error: error / rows as f64,
            // The truth of what is set is what it was set to.
            reached: pearson(found.column(factor), truth.column(factor)),
            descendants: below.iter().map(follows).collect(),
            others: (0..self.known.len())
                .filter(|k| *k != factor && !below.contains(k))
                .map(stays)
                .collect(),
        })
    }

    /// One value for some rows; rows for which the simulator calls it impossible are left out.
    fn answered(&self, places: &[usize], set: Do) -> Result<Option<Answered>> {
        let truth = |&place: &usize| {
            let truth = self.data.counterfactual(self.rows[place], &[set])?;
            Some((place, truth))
        };
        let possible: Vec<_> = places.iter().filter_map(truth).collect();
        if possible.is_empty() {
            return Ok(None);
        }
        let places: Vec<usize> = possible.iter().map(|(place, _)| *place).collect();
        let codes = self.codes.select(Axis(0), &places);
        let after = intervene::answer(self.learner, &codes, &[set])?.observations;
        let images = rows_of(possible.iter().map(|(_, truth)| &truth.observation[..]));
        let values = rows_of(possible.iter().map(|(_, truth)| &truth.values[..]));
        let error = squared(&images, &after);
        let read_truth = read(self.reader, images);
        let read = read(self.reader, after);
        Ok(Some(Answered {
            rows: places.len(),
            error,
            moved: &read - &self.read_decoded.select(Axis(0), &places),
            moved_truly: &read_truth - &self.read_observed.select(Axis(0), &places),
            read,
            truth: values,
        }))
    }

    /// The mean error of the reader on real images.
    fn reader_errors(&self) -> Vec<(String, f64)> {
        let values = data::values(self.data, &self.rows);
        let error = |(k, concept): (usize, &Concept)| {
            let [low, high] = concept.range();
            let apart = &self.read_observed.column(k) - &values.column(k);
            let mean = apart.iter().map(|d| f64::from(d.abs())).sum::<f64>() / apart.len() as f64;
            (concept.name.clone(), mean / f64::from((high - low).max(f32::MIN_POSITIVE)))
        };
        self.known.iter().enumerate().map(error).collect()
    }
}

/// One intervention on some rows.
struct Answered {
    rows: usize,
    error: f64,
    read: Array2<f32>,
    truth: Array2<f32>,
    moved: Array2<f32>,
    moved_truly: Array2<f32>,
}

fn read(reader: &dyn Learner, observations: Array2<f32>) -> Array2<f32> {
    reader.encode(&Seen { observations, labels: None })
}

fn rows_of<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Array2<f32> {
    let rows: Vec<&[f32]> = rows.collect();
    let width = rows.first().map_or(0, |row| row.len());
    Array2::from_shape_vec((rows.len(), width), rows.concat()).expect("rows of one width")
}

fn squared(a: &Array2<f32>, b: &Array2<f32>) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from((a - b) * (a - b))).sum();
    sum / a.len().max(1) as f64
}

fn pearson(a: ArrayView1<f32>, b: ArrayView1<f32>) -> f64 {
    correlation::pearson(a.insert_axis(Axis(1)), b.insert_axis(Axis(1)))[[0, 0]]
}

impl Effects {
    /// The document of `effects.json`.
    pub fn to_json(&self) -> Json {
        let number = |value: f64| if value.is_finite() { json!(value) } else { Json::Null };
        let effect = |effect: &Effect| {
            let follow = |(name, correlation): &(String, f64)| {
                let correlation = number(*correlation);
                json!({"name": name, "correlation": correlation})
            };
            let stay = |(name, movement, floor): &(String, f64, f64)| {
                let (movement, floor) = (number(*movement), number(*floor));
                json!({"name": name, "movement": movement, "floor": floor})
            };
            json!({
                "name": effect.name,
                "reached": number(effect.reached),
                "image_error": number(effect.image_error),
                "image_error_ratio": number(effect.image_error / self.reconstruction_error),
                "descendants": effect.descendants.iter().map(follow).collect::<Vec<_>>(),
                "others": effect.others.iter().map(stay).collect::<Vec<_>>(),
            })
        };
        let reader: serde_json::Map<String, Json> =
            self.reader.iter().map(|(name, error)| (name.clone(), number(*error))).collect();
        json!({
            "format": 1,
            "rows": self.rows,
            "reconstruction_error": number(self.reconstruction_error),
            "reader": reader,
            "concepts": self.concepts.iter().map(effect).collect::<Vec<_>>(),
        })
    }
}
