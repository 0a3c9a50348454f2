//! What can be said of codes where no true factor is known: how many are used, what each tells, and how much of
//! the observations is left after decoding.

use ndarray::{Array2, Axis};
use serde_json::{Value as Json, json};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;

use super::latents::{Importance, by_importance};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// So many rows say how well observations are decoded.
const ROWS: usize = 2000;

/// What codes tell by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Unaided {
    /// How many codes there are.
    pub latents: usize,
    /// How many tell something.
    pub active: usize,
    /// The KL of each latent in nats, where codes are drawn from a Gaussian.
    pub kl: Option<Vec<f64>>,
    /// What is left of the observations, where codes can be decoded.
    pub kept: Option<Kept>,
}

/// What is left of observations after encoding and decoding.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The mean squared error of a number.
    pub squared_error: f64,
    /// The share of the variance that is kept: 1 is all of it, 0 what the mean alone would do.
    pub share: f64,
    /// The same of each column that has a name.
    pub columns: Vec<(String, f64)>,
}

/// Judge codes of a learner without looking at factors.
pub fn unaided(
    codes: &Representation,
    learner: &dyn Learner,
    data: &dyn Dataset,
    rng: &Rng,
) -> Unaided {
    let latents = by_importance(codes);
    let active = latents.iter().filter(|latent| !latent.is_dead()).count();
    let is_kl = |latent: &super::latents::Latent| matches!(latent.importance, Importance::Kl(_));
    let kl = codes.readings.kl.clone().filter(|_| latents.iter().all(is_kl));
    Unaided { latents: latents.len(), active, kl, kept: kept(learner, data, rng) }
}

/// How much of the observations of some rows is left.
pub fn kept(learner: &dyn Learner, data: &dyn Dataset, rng: &Rng) -> Option<Kept> {
    let rows = data::rows(data, ROWS, &rng.split("unaided"));
    let seen = Seen::of(data, &rows);
    let decoded = learner.decode(learner.encode(&seen).view())?;
    if decoded.dim() != seen.observations.dim() {
        return None;
    }
    let names = data.shape().is_vector().then(|| data.about().names(decoded.ncols())).flatten();
    Some(compared(&seen.observations, &decoded, names.unwrap_or_default()))
}

fn compared(observed: &Array2<f32>, decoded: &Array2<f32>, names: Vec<String>) -> Kept {
    let square = |a: f32| f64::from(a) * f64::from(a);
    let sums = |table: &Array2<f32>| table.mapv(square).sum_axis(Axis(0));
    let lost = sums(&(observed - decoded));
    let mean = observed.mean_axis(Axis(0)).expect("there are rows");
    let there = sums(&(observed - &mean));
    let share = |lost: f64, there: f64| if there > 0.0 { 1.0 - lost / there } else { 1.0 };
    let columns = names.into_iter().enumerate();
    Kept {
        squared_error: lost.sum() / observed.len() as f64,
        share: share(lost.sum(), there.sum()),
        columns: columns.map(|(k, name)| (name, share(lost[k], there[k]))).collect(),
    }
}

impl Unaided {
    /// As it stands in `scores.json`.
    pub fn to_json(&self) -> Json {
        let mut document = json!({"latents": self.latents, "active": self.active, "kl": self.kl});
        if let Some(kept) = &self.kept {
            let column =
                |(name, share): &(String, f64)| json!({"name": name, "variance_kept": share});
            document["squared_error"] = json!(kept.squared_error);
            document["variance_kept"] = json!(kept.share);
            document["columns"] = kept.columns.iter().map(column).collect();
        }
        document
    }

    /// From what stands in `scores.json`, if it does.
    pub fn from_json(document: &Json) -> Option<Self> {
        let count = |key: &str| Some(document[key].as_u64()? as usize);
        let kl = document["kl"].as_array().map(|kl| kl.iter().filter_map(Json::as_f64).collect());
        let column =
            |one: &Json| Some((one["name"].as_str()?.to_string(), one["variance_kept"].as_f64()?));
        let columns = document["columns"].as_array().into_iter().flatten().filter_map(column);
        let numbers = document["squared_error"].as_f64().zip(document["variance_kept"].as_f64());
        let columns: Vec<_> = columns.collect();
        let kept = numbers.map(|(squared_error, share)| Kept { squared_error, share, columns });
        Some(Self { latents: count("latents")?, active: count("active")?, kl, kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn what_is_kept_is_a_share_of_each_columns_own_variance() {
        let observed = array![[0.0, 10.0], [2.0, 30.0]];
        // The first column is decoded as it is, the second as its mean.
        let decoded = array![[0.0, 20.0], [2.0, 20.0]];
        let kept = compared(&observed, &decoded, vec!["a".into(), "b".into()]);
        assert_eq!(kept.columns, [("a".to_string(), 1.0), ("b".to_string(), 0.0)]);
        assert_eq!(kept.squared_error, 50.0);
        assert!((kept.share - 2.0 / 202.0).abs() < 1e-12, "{}", kept.share);
        let told = Unaided { latents: 2, active: 1, kl: Some(vec![0.5, 0.0]), kept: Some(kept) };
        assert_eq!(Unaided::from_json(&told.to_json()), Some(told));
        assert_eq!(Unaided::from_json(&Json::Null), None);
    }
}
