//! What follows a frame of a trained run's data, once something is done.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use unbraid_measure::data::{Dataset, Do};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::trained::TrainedRun;
use super::triplets::factor_number;
use crate::draw::picture;
use crate::error::{Error, Result};
use crate::figures::rollout::{FILE, sheet};
use crate::intervene::acting;
use crate::intervene::rollout::{Course, Rollout, follow};

/// Steps that can be asked for.
const MOST: usize = 64;

impl TrainedRun {
    /// Follow a course by the learned transition and by the simulator, and draw both. `out` is where the picture
    /// goes, if not into the run directory.
    pub fn rollout(
        &self,
        course: &Course,
        out: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<(Json, PathBuf)> {
        // Of pairs, those that were not learned from, as `unbraid retrieve` counts them.
        let named = self.plan().task.named;
        let data = if named { self.tested()? } else { &*self.plan().data };
        check(data, course, self.plan().task.action)?;
        let blocks = if course.dos.is_empty() { vec![] } else { self.blocks(watch)? };
        for set in &course.dos {
            if !blocks.contains(&Some(set.factor)) {
                let name = &data.factors()[set.factor].name;
                return Err(Error::Unable(format!(
                    "no latent of this model stands for `{name}`, so it cannot be set"
                )));
            }
        }
        let rng = Rng::new(self.plan().config.seed).split("rollout");
        let found = follow(self.learner(), data, &blocks, course, &rng)?;
        let [model, name] = [self.plan().entry.info.title, self.plan().config.data_title()];
        let title =
            format!("{model} on {name}: what follows row {}{}", course.row, words(data, course));
        let path = out.map_or_else(|| self.run().file(FILE), Path::to_path_buf);
        picture::save(&sheet(title, data, &found)?.draw(), &path)?;
        let mut document = found.to_json();
        if let Some(action) = course.named().filter(|_| named) {
            read_back(data, course, action, &found, &mut document);
        }
        Ok((document, path))
    }

    /// The interventions that these words ask for, as in `ball-x=0.5`, in the units of the data.
    pub fn targets_of(&self, words: &[String]) -> Result<Vec<Do>> {
        let data = &*self.plan().data;
        let one = |word: &String| {
            let (name, value) = word.split_once('=').ok_or_else(|| {
                Error::Unable(format!("`{word}` is not of the form NAME=VALUE, as in ball-x=0.5"))
            })?;
            let factor = factor_number(data, name)?;
            let value =
                value.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(|| {
                    Error::Unable(format!("`{value}` in `{word}` is not a number"))
                })?;
            Ok(Do { factor, value })
        };
        words.iter().map(one).collect()
    }
}

fn check(data: &dyn Dataset, course: &Course, width: usize) -> Result<()> {
    if course.row >= data.len() {
        let (row, last) = (course.row, data.len() - 1);
        return Err(Error::Unable(format!("there is no row {row}: the last one is {last}")));
    }
    if !(1..=MOST).contains(&course.steps) {
        return Err(Error::Unable(format!("--steps must be from 1 to {MOST}")));
    }
    if let Some(action) = course.actions.iter().find(|action| action.len() != width) {
        return Err(Error::Unable(match width {
            0 => "these data have no actions; set a variable with --target".into(),
            _ => format!(
                "an action of these data has {width} numbers, and {action:?} has {}",
                action.len()
            ),
        }));
    }
    if width > 0 && course.actions.is_empty() {
        return Err(Error::Unable(format!(
            "these data are acted on: say what is done with --action and {width} numbers"
        )));
    }
    Ok(())
}

/// What each image after a named action is read as, and where the factor has no value further on.
fn read_back(
    data: &dyn Dataset,
    course: &Course,
    action: usize,
    found: &Rollout,
    document: &mut Json,
) {
    for times in 1..=course.steps {
        let Some(values) = acting::after(data, course.row, action, times) else {
            let factor = action % (data.actions().len() / 2).max(1);
            let name = &data.factors()[factor].name;
            document["note"] = json!(format!(
                "`{name}` has no value beyond that after step {}: no such pair was learned from, and there is no true image",
                times - 1
            ));
            return;
        };
        let read = acting::read(data, course.row, &values, found.model.row(times));
        let others = read.map(|read| {
            let differs = |k: &usize| read[*k] != values[*k];
            let factors = (0..values.len()).filter(differs);
            let one = |k: usize| json!({"factor": data.factors()[k].name, "read": read[k], "true": values[k]});
            factors.map(one).collect::<Vec<_>>()
        });
        document["steps"][times]["mistaken"] = json!(others);
    }
}

/// What is done, for the title.
fn words(data: &dyn Dataset, course: &Course) -> String {
    if let Some(name) = course.named().and_then(|action| data.actions().get(action)) {
        return format!(", {name} in each step");
    }
    let set = |each: &Do| format!("{} = {}", data.factors()[each.factor].name, each.value);
    let done: Vec<String> = course.dos.iter().map(set).collect();
    match (done.is_empty(), course.actions.first()) {
        (false, _) => format!(" under do({})", done.join(", ")),
        (true, Some(action)) => format!(" under action {action:?}"),
        (true, None) => String::new(),
    }
}
