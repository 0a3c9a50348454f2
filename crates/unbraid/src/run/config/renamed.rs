//! Names of earlier versions: their files still load.
//!
//! How pairs, labelled rows and batches of one factor are drawn was said in `[train]`, to every model
//! alike; now it is said in `[model]`, by the models that learn from them. A `run.toml` also has none of the keys that
//! came after it: those whose default is another than what was done before are filled in.

use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::models;

/// Keys that have another name in the section where they were, and that name.
const RENAMED: [(&str, &str, &str); 4] = [
    ("train", "rate", "learning_rate"),
    ("model", "critic_rate", "critic_learning_rate"),
    ("model", "generator_rate", "generator_learning_rate"),
    ("model", "discriminator_rate", "discriminator_learning_rate"),
];

/// The keys that went from `[train]` to the models that read them.
const MOVED: [&str; 4] = ["changed", "pairs", "labelled", "ordinary"];

/// Keys of models that came after them and have another default than what was done before, and that.
const UNSAID: [(&str, &str, bool); 1] = [("mcq-vae", "local", false)];

/// Settings of data sets that came after them and have another default than what was done before: the name
/// of the data set, the key by which a later version is known, and what was done then.
const UNSAID_OF_DATA: [(&str, &str, &str); 3] = [
    ("table", "scale", "scale = 'none'\ncolumns = ['*']"),
    ("mixing", "scale", "scale = 'none'\ncolumns = ['*']"),
    ("images", "fit", "fit = 'stretch'\nendings = ['png', 'jpg', 'jpeg']"),
];

/// Fill in what a `run.toml` of an earlier version does not say.
pub(super) fn completed(table: &mut Table) {
    if let Some(data) = table.get_mut("data").and_then(Value::as_table_mut) {
        complete_data(data);
    }
    let Some(model) = table.get_mut("model").and_then(Value::as_table_mut) else { return };
    for (name, key, value) in UNSAID {
        if model.get("name").and_then(Value::as_str) == Some(name) && !model.contains_key(key) {
            model.insert(key.into(), Value::Boolean(value));
        }
    }
}

fn complete_data(data: &mut Table) {
    let name = data.get("name").and_then(Value::as_str).unwrap_or_default().to_string();
    // What is drawn is not read.
    let path = data.get("path").and_then(Value::as_str).unwrap_or_default();
    let drawn = path.is_empty();
    for (of, key, before) in UNSAID_OF_DATA {
        if name == of && !drawn && !data.contains_key(key) {
            data.extend(before.parse::<Table>().expect("it is TOML"));
        }
    }
}

/// Give every key of an earlier version the name it has now; what is to be told to somebody who typed
/// it, a line for each. Earlier versions wrote the keys of all models into every `run.toml`: what the
/// model does not read is left out.
pub fn renamed(table: &mut Table) -> Result<Vec<String>> {
    // A run.toml has every key of its version: nobody typed them.
    let typed = !table.contains_key("format");
    let notes = renamed_quietly(table)?;
    Ok(if typed { notes } else { vec![] })
}

fn renamed_quietly(table: &mut Table) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for (section, old, new) in RENAMED {
        let Some(place) = table.get_mut(section).and_then(Value::as_table_mut) else { continue };
        let Some(value) = place.remove(old) else { continue };
        if place.contains_key(new) {
            let reason = format!("is now `{section}.{new}`, and both are given; leave out one");
            return Err(Error::setting(format!("{section}.{old}"), reason));
        }
        place.insert(new.into(), value);
        notes.push(read_as(&format!("{section}.{old}"), &format!("{section}.{new}")));
    }
    notes.extend(moved(table));
    Ok(notes)
}

/// What is said of a key that was read under its new name.
fn read_as(old: &str, new: &str) -> String {
    format!("`{old}` is now `{new}`; it was read as that")
}

/// Move the keys of `[train]` that the model reads to `[model]`.
fn moved(table: &mut Table) -> Vec<String> {
    let Some(train) = table.get_mut("train").and_then(Value::as_table_mut) else { return vec![] };
    let given = MOVED.iter().filter_map(|key| Some((*key, train.remove(*key)?)));
    let given: Vec<(&str, Value)> = given.collect();
    let name = table.get("model").and_then(|model| model.get("name")).and_then(Value::as_str);
    // Without a model, or with one that is unknown, something else will be said.
    let Some(entry) = name.and_then(|name| models::find(name).ok()) else { return vec![] };
    let (known, model) = ((entry.defaults)(), table.get_mut("model").and_then(Value::as_table_mut));
    let model = model.expect("it has a name");
    let note =
        |(key, value): (&str, Value)| match (known.contains_key(key), model.contains_key(key)) {
            (false, _) => {
                format!("`train.{key}` was left out: {} does not read it", entry.info.name)
            }
            (true, true) => {
                format!("`train.{key}` was left out: it is now `model.{key}`, which is given too")
            }
            (true, false) => {
                model.insert(key.into(), value);
                read_as(&format!("train.{key}"), &format!("model.{key}"))
            }
        };
    given.into_iter().map(note).collect()
}

/// The name that a key of an earlier version has now, and what is to be told to somebody who typed it; no
/// name where the model does not read it. Nothing for keys that are as they were.
pub fn renamed_key(key: &str, model: Option<&str>) -> Option<(Option<String>, String)> {
    let (section, name) = key.split_once('.')?;
    let renamed = RENAMED.iter().find(|entry| (entry.0, entry.1) == (section, name));
    let now = match renamed {
        Some((_, _, new)) => format!("{section}.{new}"),
        None if section == "train" && MOVED.contains(&name) => {
            let entry = models::find(model?).ok()?;
            if !(entry.defaults)().contains_key(name) {
                let note = format!("`{key}` was left out: {} does not read it", entry.info.name);
                return Some((None, note));
            }
            format!("model.{name}")
        }
        None => return None,
    };
    let note = read_as(key, &now);
    Some((Some(now), note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Table, Vec<String>) {
        let mut table = text.parse().unwrap();
        let notes = renamed(&mut table).unwrap();
        (table, notes)
    }

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn what_has_moved_is_read_where_it_is_now_and_said() {
        let old = "model.name = 'ada-gvae'\ntrain = { rate = 1e-3, changed = 0, steps = 5 }";
        let new = "model = { name = 'ada-gvae', changed = 0 }\n\
                   train = { learning_rate = 1e-3, steps = 5 }";
        let critic = read("model = { name = 'factor-vae', critic_rate = 1e-3 }").0;
        assert_eq!(critic["model"]["critic_learning_rate"].as_float(), Some(1e-3));
        let (found, notes) = read(old);
        assert_eq!(found, table(new));
        assert_eq!(
            notes,
            [
                "`train.rate` is now `train.learning_rate`; it was read as that",
                "`train.changed` is now `model.changed`; it was read as that",
            ]
        );
        assert_eq!(read(new), (table(new), vec![]));
    }

    #[test]
    fn what_a_model_does_not_read_is_left_out_and_the_new_name_counts() {
        let (found, notes) = read("model.name = 'pca'\ntrain = { labelled = 9, ordinary = 2 }");
        assert_eq!(found, table("model.name = 'pca'\ntrain = {}"));
        assert_eq!(notes[0], "`train.labelled` was left out: pca does not read it");
        let (found, notes) = read("model = { name = 'dc-ign', ordinary = 3 }\ntrain.ordinary = 2");
        assert_eq!(found["model"]["ordinary"].as_integer(), Some(3));
        assert!(notes[0].ends_with("it is now `model.ordinary`, which is given too"), "{notes:?}");
        // Somebody else complains of what is no section, and of unknown models.
        for text in ["train = 3", "model = 3\ntrain.changed = 1", "model.name = 'x'"] {
            assert_eq!(read(text).1, Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_a_run_did_before_there_was_a_key_for_it_is_filled_in() {
        let filled = |text: &str| {
            let mut table = table(text);
            completed(&mut table);
            table
        };
        let old = filled("model = { name = 'mcq-vae', codes = 8 }");
        assert_eq!(old["model"]["local"].as_bool(), Some(false));
        let new = "model = { name = 'mcq-vae', local = true }";
        assert_eq!(filled(new), table(new));
        assert_eq!(filled("model.name = 'pca'"), table("model.name = 'pca'"));
        // Tables were not scaled, and every column was observed; pictures were stretched.
        let scale = |text: &str| {
            filled(text)["data"].get("scale").and_then(Value::as_str).map(str::to_string)
        };
        assert_eq!(scale("data = { name = 'table', path = 'a.csv' }").as_deref(), Some("none"));
        let kept = "data = { name = 'table', path = 'a.csv', scale = 'robust' }";
        assert_eq!(filled(kept), table(kept));
        assert_eq!(scale("data = { name = 'mixing', path = '' }"), None);
        assert_eq!(scale("data = { name = 'mixing', path = 'a.npz' }").as_deref(), Some("none"));
        let images = filled("data = { name = 'images', path = 'a', size = 64 }");
        assert_eq!(images["data"]["fit"].as_str(), Some("stretch"));
    }

    #[test]
    fn two_names_of_one_setting_are_refused() {
        let mut both = table("train = { rate = 1e-3, learning_rate = 1e-4 }");
        let refused = renamed(&mut both).unwrap_err().to_string();
        assert_eq!(
            refused,
            "setting `train.rate` is now `train.learning_rate`, and both are given; leave out one"
        );
    }

    #[test]
    fn a_key_that_is_typed_is_renamed_by_itself() {
        let name = |key: &str, model: Option<&str>| renamed_key(key, model).map(|found| found.0);
        let gvae = Some("gvae");
        assert_eq!(name("train.changed", gvae), Some(Some("model.changed".into())));
        assert_eq!(name("train.rate", None), Some(Some("train.learning_rate".into())));
        assert_eq!(name("train.changed", Some("pca")), Some(None));
        // Without a model nobody knows yet; and what has not changed stays.
        assert_eq!(name("train.changed", None), None);
        assert_eq!(name("train.steps", gvae), None);
        assert_eq!(name("model.changed", gvae), None);
    }
}
