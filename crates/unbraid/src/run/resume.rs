//! Going on with a run: as it was started, and with nothing else.

use toml::{Table, Value};

use super::config::{self, Config};
use super::directory::Run;
use super::plan::Plan;
use crate::error::{Error, Result};

impl Run {
    /// The plan to go on with, and what is to be told of the settings; refuses those that the run was not
    /// started with.
    pub fn plan_to_resume(&self, given: &Table) -> Result<(Plan, Vec<String>)> {
        let plan = self.config().clone().resolve()?;
        let differs = |key: &str| {
            let reason = format!(
                "was started with another `{key}`; leave the settings out to resume it as it was, \
                 or choose another --out"
            );
            Error::run(self.directory(), reason)
        };
        // With every key, also those that came after it was started.
        let started = plan.config.to_table();
        // Another model has other settings, so the names are compared before the rest.
        let asked_name = |section: &str| given.get(section)?.get("name")?.as_str();
        if asked_name("model").is_some_and(|name| name != self.config().model_name()) {
            return Err(differs("model.name"));
        }
        if let Some(name) = asked_name("data") {
            let (name, found) = config::data_by_name_or_path(name, Table::new());
            let same_path =
                found.get("path").is_none_or(|path| self.config().data.get("path") == Some(path));
            if name != self.config().data_name() || !same_path {
                return Err(differs("data.name"));
            }
        }
        // What was given has its name of today before it meets the settings of the run, or both would
        // be there; which model reads it, the run knows.
        let mut given = given.clone();
        config::put(&mut given, "model.name", self.config().model_name().into())?;
        let notes = config::renamed(&mut given)?;
        // Only what was given can differ; all else is as the run has it.
        let mut asked = config::overlaid(started.clone(), given);
        if let (Some(Value::Table(asked)), Some(data)) =
            (asked.get_mut("data"), started.get("data"))
        {
            asked.insert("name".into(), data["name"].clone());
        }
        let asked = Config::from_table(asked)?.resolve()?.config.to_table();
        match first_difference(&asked, &started) {
            Some(key) => Err(differs(&key)),
            None => Ok((plan, notes)),
        }
    }
}

fn first_difference(asked: &Table, started: &Table) -> Option<String> {
    asked.iter().find_map(|(key, value)| match (value, started.get(key)) {
        (Value::Table(asked), Some(Value::Table(started))) => {
            first_difference(asked, started).map(|inner| format!("{key}.{inner}"))
        }
        (value, other) => (Some(value) != other).then(|| key.clone()),
    })
}
