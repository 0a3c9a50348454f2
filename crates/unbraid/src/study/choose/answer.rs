//! What choosing found, and its JSON.

use std::path::PathBuf;

use serde_json::{Value as Json, json};
use toml::Value;

use super::Cell;

/// What was chosen, data set by data set.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The metric of all scores and regrets.
    pub metric: &'static str,
    /// One for each data set, in the order of the study.
    pub data: Vec<OfData>,
}

/// What was chosen for a data set.
#[derive(Clone, Debug)]
pub struct OfData {
    /// The data set.
    pub data: String,
    /// How many runs there were to choose from.
    pub candidates: usize,
    /// The best run and its score, if scores are known.
    pub best: Option<(Chosen, f64)>,
    /// The regret of each run: what one drawn at random has on average.
    pub random: Option<Cell>,
    /// A choice for each way, two for two numbers of labels.
    pub choices: Vec<Choice>,
    /// What is to be said, a line for each: which ways are not possible and why.
    pub notes: Vec<String>,
}

/// The choice of one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The way, in words: `udr`, `100 labels`.
    pub by: String,
    /// The run to use; none where the way does not say one.
    pub run: Option<Chosen>,
    /// How many of how many draws took this run, where the way depends on chance.
    pub share: Option<[usize; 2]>,
    /// The value by which it was chosen.
    pub value: Option<f64>,
    /// The true score, for each draw.
    pub score: Option<Cell>,
    /// How far that is from the best run, for each draw.
    pub regret: Option<Cell>,
}

/// A run that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its name.
    pub run: String,
    /// The row of the study file.
    pub method: String,
    /// What else sets it apart, by key.
    pub strength: Vec<(String, Value)>,
    /// Method and strength in words.
    pub setting: String,
    /// Its seed.
    pub seed: i64,
    /// The directory to open.
    pub directory: PathBuf,
}

impl Answer {
    /// Everything as one document.
    pub fn to_json(&self) -> Json {
        let data: Vec<Json> = self.data.iter().map(OfData::to_json).collect();
        json!({"format": 1, "metric": self.metric, "data": data})
    }
}

impl OfData {
    fn to_json(&self) -> Json {
        let best = self.best.as_ref().map(|(run, score)| {
            let mut document = run.to_json();
            document["score"] = json!(score);
            document
        });
        let choices: Vec<Json> = self.choices.iter().map(Choice::to_json).collect();
        json!({
            "data": self.data,
            "candidates": self.candidates,
            "best": best,
            "random_regret": self.random.as_ref().map(Cell::mean),
            "choices": choices,
            "notes": self.notes,
        })
    }
}

impl Choice {
    fn to_json(&self) -> Json {
        let mut document = json!({"by": self.by});
        match &self.run {
            Some(run) => document["chosen"] = run.to_json(),
            None => document["chosen"] = Json::Null,
        }
        if let Some([times, draws]) = self.share {
            document["times"] = json!(times);
            document["draws"] = json!(draws);
        }
        document["value"] = json!(self.value);
        document["score"] = json!(self.score.as_ref().map(Cell::mean));
        document["regret"] = json!(self.regret.as_ref().map(Cell::mean));
        if let Some(regret) = self.regret.as_ref().filter(|regret| regret.values.len() > 1) {
            document["regret_sd"] = json!(regret.deviation());
        }
        document
    }
}

impl Chosen {
    fn to_json(&self) -> Json {
        let strength: serde_json::Map<String, Json> =
            self.strength.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        json!({
            "run": self.run,
            "method": self.method,
            "strength": strength,
            "seed": self.seed,
            "directory": self.directory,
        })
    }
}
