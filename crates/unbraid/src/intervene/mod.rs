//! Interventions: counterfactuals of rows under do(concept = value), how well they agree with the
//! simulator where the data are one, and the causal graph behind them.

pub mod acting;
pub mod causal_encoder;
pub mod effects;
pub mod graph;
pub mod reader;
pub mod retrieval;
pub mod rollout;
pub mod temporal;
pub mod triplets;

use ndarray::{Array2, Axis};
use unbraid_measure::data::{self, Dataset, Do};

use crate::error::{Error, Result};
use crate::model::learner::{Intervened, Learner};
use crate::parts::concepts::scaling;

/// Values of a sweep.
pub const STOPS: usize = 7;
/// The share of the rows left out at each end of a sweep.
const TAIL: f64 = 0.025;

/// A concept, by which an intervention is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// Its name: that of the factor.
    pub name: String,
    /// The values it has in the data, rising.
    sorted: Vec<f32>,
}

impl Concept {
    /// Those of the data, in the order of the labels.
    pub fn all(data: &dyn Dataset, rows: &[usize]) -> Result<Vec<Self>> {
        let labels = data::labels(data, rows).ok_or_else(|| {
            Error::Unable("the data have no labels, so there are no concepts to set".into())
        })?;
        let concept = |(k, column): (usize, ndarray::ArrayView1<f32>)| {
            let mut sorted = column.to_vec();
            sorted.sort_by(f32::total_cmp);
            Self { name: scaling::name(data, k), sorted }
        };
        Ok(labels.axis_iter(Axis(1)).enumerate().map(concept).collect())
    }

    /// Its least and its largest value.
    pub fn range(&self) -> [f32; 2] {
        [self.quantile(0.0), self.quantile(1.0)]
    }

    /// The value below which this share of the rows is.
    pub fn quantile(&self, share: f64) -> f32 {
        self.sorted[((self.sorted.len() - 1) as f64 * share).round() as usize]
    }

    /// Even steps through nearly all of its range.
    pub fn sweep(&self) -> Vec<f32> {
        let (low, high) = (self.quantile(TAIL), self.quantile(1.0 - TAIL));
        let at = |k: usize| low + (high - low) * k as f32 / (STOPS - 1) as f32;
        (0..STOPS).map(at).collect()
    }
}

/// Read `name=value` texts; also says which values the data do not have.
pub fn parse(texts: &[String], known: &[Concept]) -> Result<(Vec<Do>, Vec<String>)> {
    let mut dos: Vec<Do> = Vec::new();
    let mut warnings = Vec::new();
    for text in texts {
        let form = || Error::Unable(format!("`--do {text}` is not of the form NAME=VALUE"));
        let (name, value) = text.split_once('=').ok_or_else(form)?;
        let (name, value) = (name.trim(), value.trim());
        let factor = known.iter().position(|concept| concept.name == name).ok_or_else(|| {
            let names = || known.iter().map(|concept| concept.name.as_str());
            let hint = unbraid_measure::info::did_you_mean(name, names());
            let all = names().collect::<Vec<_>>().join(", ");
            Error::Unable(format!("unknown concept `{name}`{hint} (known: {all})"))
        })?;
        let value: f32 =
            value.parse().ok().filter(|v: &f32| v.is_finite()).ok_or_else(|| {
                Error::Unable(format!("`--do {text}`: \"{value}\" is not a number"))
            })?;
        if dos.iter().any(|set| set.factor == factor) {
            return Err(Error::Unable(format!("`{name}` is set twice; it can have one value")));
        }
        let [low, high] = known[factor].range();
        if value < low || value > high {
            warnings.push(format!(
                "{name}={value} is outside of the data, where it goes from {low} to {high}: what \
                 the model says of it is a guess"
            ));
        }
        dos.push(Do { factor, value });
    }
    Ok((dos, warnings))
}

/// Refuse a method whose codes stand for no concepts.
pub fn check_can_intervene(learner: &dyn Learner) -> Result<()> {
    match learner.dimensions() {
        Some(_) => Ok(()),
        None => Err(Error::Unable(
            "the codes of this model do not stand for concepts, so none can be set; train \
             `causal-vae`, `structural-vae` or `condition-vae`, or walk codes with `unbraid traverse`"
                .into(),
        )),
    }
}

/// What the model says of these rows.
pub fn answer(learner: &dyn Learner, codes: &Array2<f32>, dos: &[Do]) -> Result<Intervened> {
    check_can_intervene(learner)?;
    let after = learner.intervene(codes.view(), dos);
    after.ok_or_else(|| Error::Unable("this model cannot intervene".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Concept> {
        let concept =
            |name: &str, sorted: &[f32]| Concept { name: name.into(), sorted: sorted.into() };
        vec![concept("light", &[60.0, 100.0, 147.0]), concept("shadow", &[3.0, 4.0, 12.0])]
    }

    fn refused(texts: &[&str]) -> String {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        parse(&texts, &known()).unwrap_err().to_string()
    }

    #[test]
    fn names_and_values_are_read_and_a_value_outside_is_told() {
        let texts = ["shadow=5".to_string(), "light = 200".to_string()];
        let (dos, warnings) = parse(&texts, &known()).unwrap();
        assert_eq!(dos, [Do { factor: 1, value: 5.0 }, Do { factor: 0, value: 200.0 }]);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("from 60 to 147"), "{warnings:?}");
    }

    #[test]
    fn mistakes_are_answered_with_the_way_out() {
        assert!(refused(&["ligth=1"]).contains("did you mean `light`?"));
        assert!(refused(&["light"]).contains("NAME=VALUE"));
        assert!(refused(&["light=dark"]).contains("is not a number"));
        assert!(refused(&["light=NaN"]).contains("is not a number"));
        assert!(refused(&["light=80", "light=90"]).contains("set twice"));
    }
}
