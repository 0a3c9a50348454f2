//! Settings of data sets and models: a plain struct with defaults, filled from a TOML table.
//!
//! A settings struct has no optional fields: every default can be spelled out in `run.toml`
//! (use "auto" or "" where a value is worked out later).

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use crate::error::{Error, Result};
use crate::info::did_you_mean;

/// Fill a settings struct from the keys given in `[section]`; unknown keys and wrong types are
/// refused with the way out.
pub fn parse<T: Serialize + DeserializeOwned + Default>(section: &str, given: &Table) -> Result<T> {
    let mut merged = to_table(&T::default());
    for (key, value) in given {
        if !merged.contains_key(key) {
            let hint = did_you_mean(key, merged.keys().map(String::as_str));
            let known = match merged.is_empty() {
                true => "this takes no settings".to_string(),
                false => {
                    format!("known: {}", merged.keys().cloned().collect::<Vec<_>>().join(", "))
                }
            };
            return Err(Error::setting(
                format!("{section}.{key}"),
                format!("is unknown{hint} ({known})"),
            ));
        }
        // One key at a time, so that the message can name the key that is wrong.
        let previous = merged.insert(key.clone(), value.clone());
        if let Err(source) = merged.clone().try_into::<T>() {
            let default = previous.map_or(String::new(), |v| format!("; the default is {v}"));
            let reason = format!("cannot be {value}: {}{default}", source.message());
            return Err(Error::setting(format!("{section}.{key}"), reason));
        }
    }
    merged.try_into().map_err(|source| Error::setting(section, source.message()))
}

/// A settings struct with every value spelled out.
pub fn to_table<T: Serialize>(settings: &T) -> Table {
    Table::try_from(settings).expect("settings are plain structs of numbers, words and lists")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize, Default, Debug, PartialEq)]
    struct Example {
        beta: f64,
        latents: usize,
    }

    fn read(text: &str) -> Result<Example> {
        parse("model", &text.parse().unwrap())
    }

    #[test]
    fn defaults_are_filled_and_integers_are_numbers_too() {
        assert_eq!(read("beta = 4").unwrap(), Example { beta: 4.0, latents: 0 });
    }

    #[test]
    fn unknown_keys_and_wrong_types_name_the_key() {
        let error = read("bete = 4").unwrap_err().to_string();
        assert_eq!(
            error,
            "setting `model.bete` is unknown; did you mean `beta`? (known: beta, latents)"
        );
        let error = read("latents = \"ten\"").unwrap_err().to_string();
        assert!(error.starts_with("setting `model.latents` cannot be \"ten\""), "{error}");
        assert!(read("latents = -1").is_err());
    }
}
