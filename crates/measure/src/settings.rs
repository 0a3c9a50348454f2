//! Settings of data sets and models: a plain struct with defaults, filled from a TOML table.
//!
//! A settings struct has no optional fields: every default can be spelled out in `run.toml`
//! (use "auto" or "" where a value is worked out later). A setting that is one of a few words is an
//! enum, made by [`words!`].

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::info::did_you_mean;

/// How every refusal of a value begins; [`parse`] knows by it that a word has said all there is to say.
const REFUSED: &str = "cannot be ";

/// A setting that is one of a few words; [`words!`] makes one.
pub trait Word: Copy + 'static {
    /// Every word.
    const ALL: &'static [Self];
    /// Those that an error lists.
    const LISTED: &'static [&'static str];

    /// As it is written.
    fn word(self) -> &'static str;

    /// The inverse of [`word`](Self::word), or what is wrong.
    fn named(given: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|each| each.word() == given);
        found.ok_or_else(|| unknown_word(given, Self::LISTED))
    }
}

/// What is wrong with a word that is not among the known ones.
pub fn unknown_word(given: &str, known: &[&str]) -> String {
    let hint = did_you_mean(given, known.iter().copied());
    format!("{REFUSED}\"{given}\"{hint} (known: {})", known.join(", "))
}

/// An enum of words: it is read and written as its word, and a wrong word is answered with all of
/// them. A word after a semicolon is taken too, but not listed: "auto", which is worked out later.
///
/// ```
/// unbraid_measure::settings::words! {
///     /// How an edge is drawn.
///     pub enum Edge {
///         /// In steps.
///         Hard = "hard",
///         /// With greys between.
///         Smooth = "smooth";
///         /// As the size asks for.
///         Auto = "auto"
///     }
/// }
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$about:meta])*
        $seen:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?
            $(; $(#[$unlisted_doc:meta])* $unlisted:ident = $unlisted_word:literal $(,)?)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $seen enum $name {
            $($(#[$doc])* $variant,)+
            $($(#[$unlisted_doc])* $unlisted,)?
        }

        impl $crate::settings::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+ $(Self::$unlisted)?];
            const LISTED: &'static [&'static str] = &[$($word),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                    $(Self::$unlisted => $unlisted_word,)?
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                to: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str($crate::settings::Word::word(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                from: D,
            ) -> std::result::Result<Self, D::Error> {
                let given = <String as serde::Deserialize>::deserialize(from)?;
                $crate::settings::Word::named(&given).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub use words;

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
            let reason = refusal(value, previous.as_ref(), source.message());
            return Err(Error::setting(format!("{section}.{key}"), reason));
        }
    }
    merged.try_into().map_err(|source| Error::setting(section, source.message()))
}

/// What is wrong with a value, from the message of what it was to become.
fn refusal(value: &Value, default: Option<&Value>, message: &str) -> String {
    if message.starts_with(REFUSED) {
        return message.to_string();
    }
    let default = default.map_or(String::new(), |value| format!("; the default is {value}"));
    format!("{REFUSED}{value}: {message}{default}")
}

/// A settings struct with every value spelled out.
pub fn to_table<T: Serialize>(settings: &T) -> Table {
    Table::try_from(settings).expect("settings are plain structs of numbers, words and lists")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    words! {
        enum Edge {
            Hard = "hard",
            Smooth = "smooth";
            Auto = "auto"
        }
    }

    #[derive(Serialize, Deserialize, Default, Debug, PartialEq)]
    struct Example {
        beta: f64,
        latents: usize,
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Drawing {
        edge: Edge,
        #[serde(flatten)]
        inner: Inner,
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Inner {
        inner_edge: Edge,
    }

    impl Default for Drawing {
        fn default() -> Self {
            Self { edge: Edge::Auto, inner: Inner { inner_edge: Edge::Hard } }
        }
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

    fn draw(text: &str) -> std::result::Result<Drawing, String> {
        parse("data", &text.parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_word_is_read_and_written_as_it_stands() {
        for word in Edge::ALL {
            assert_eq!(Edge::named(word.word()), Ok(*word));
        }
        let found = draw("inner_edge = \"smooth\"").unwrap();
        assert_eq!(found, Drawing { edge: Edge::Auto, inner: Inner { inner_edge: Edge::Smooth } });
        let table = to_table(&found);
        assert_eq!(table.to_string(), "edge = \"auto\"\ninner_edge = \"smooth\"\n");
        assert_eq!(parse::<Drawing>("data", &table).unwrap(), found);
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_words_there_are() {
        // The same behind `flatten`, where serde reads twice.
        for key in ["edge", "inner_edge"] {
            let expected = |reason: &str| Err(format!("setting `data.{key}` cannot be {reason}"));
            assert_eq!(
                draw(&format!("{key} = \"smoth\"")),
                expected("\"smoth\"; did you mean `smooth`? (known: hard, smooth)")
            );
            assert_eq!(draw(&format!("{key} = \"Q\"")), expected("\"Q\" (known: hard, smooth)"));
            let number = draw(&format!("{key} = 3")).unwrap_err();
            assert!(number.contains("cannot be 3: invalid type: integer `3`"), "{number}");
            assert!(number.contains("; the default is"), "{number}");
        }
    }
}
