//! What a setting says about the values of factors: `shape = 3`, `scale = [0.5, 1]`,
//! `posX = "0..0.5"`.

use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::info::did_you_mean;

/// What the values of one factor must be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    /// The column of the factor.
    pub(super) column: usize,
    allowed: Allowed,
}

#[derive(Clone, Debug, PartialEq)]
enum Allowed {
    /// Values that the factor takes, in order.
    These(Vec<f32>),
    /// Anything from one number to another, of a factor that takes any.
    Between([f32; 2]),
}

impl Condition {
    /// Whether a row with these values of all factors fulfils it.
    pub(super) fn holds(&self, values: &[f32]) -> bool {
        self.allows(values[self.column])
    }

    /// Whether the factor may have this value.
    pub(super) fn allows(&self, value: f32) -> bool {
        match &self.allowed {
            Allowed::These(values) => place(values, value).is_some(),
            Allowed::Between([low, high]) => (*low..=*high).contains(&value),
        }
    }

    /// The only value it allows.
    pub(super) fn only(&self) -> Option<f32> {
        match self.allowed {
            Allowed::These(ref values) => (values.len() == 1).then(|| values[0]),
            Allowed::Between(_) => None,
        }
    }
}

/// Read `{ factor = value, list or range, … }`; `key` is where it was written.
pub(super) fn read(key: &str, given: &Table, factors: &[Factor]) -> Result<Vec<Condition>> {
    let condition = |(name, wanted): (&String, &Value)| {
        let column = column(key, name, factors)?;
        let allowed = allowed(&format!("{key}.{name}"), wanted, &factors[column])?;
        Ok(Condition { column, allowed })
    };
    given.iter().map(condition).collect()
}

/// The column of a factor by its name.
pub(super) fn column(key: &str, name: &str, factors: &[Factor]) -> Result<usize> {
    factors.iter().position(|factor| factor.name == name).ok_or_else(|| {
        let names = || factors.iter().map(|factor| factor.name.as_str());
        let reason = match factors.is_empty() {
            true => format!("has `{name}`, but no factors of these data are known"),
            false => format!(
                "has `{name}`, which is no factor{} (known: {})",
                did_you_mean(name, names()),
                names().collect::<Vec<_>>().join(", ")
            ),
        };
        Error::setting(key, reason)
    })
}

fn allowed(key: &str, wanted: &Value, factor: &Factor) -> Result<Allowed> {
    match (wanted, &factor.kind) {
        (Value::String(text), kind) => {
            let [low, high] = range(text).ok_or_else(|| {
                let reason = format!("cannot be {wanted}; a range is written as \"0..0.5\"");
                Error::setting(key, reason)
            })?;
            between(key, text, [low, high], kind)
        }
        (_, Kind::Continuous | Kind::Angle) => {
            let reason = "takes any number, so give a range such as \"0..0.5\"";
            Err(Error::setting(key, reason))
        }
        (Value::Array(list), Kind::Discrete(_)) if list.is_empty() => {
            Err(Error::setting(key, "is an empty list, which leaves no rows"))
        }
        (Value::Array(list), Kind::Discrete(values)) => {
            let these = list.iter().map(|wanted| taken(key, wanted, values));
            let mut these = these.collect::<Result<Vec<f32>>>()?;
            these.sort_by(f32::total_cmp);
            Ok(Allowed::These(these))
        }
        (_, Kind::Discrete(values)) => Ok(Allowed::These(vec![taken(key, wanted, values)?])),
    }
}

/// The ends of "0..0.5", "..0.5" or "0.5..", both inclusive.
fn range(text: &str) -> Option<[f32; 2]> {
    let (low, high) = text.split_once("..")?;
    let end = |text: &str, open: f32| match text.trim() {
        "" => Some(open),
        number => number.parse().ok().filter(|end: &f32| end.is_finite()),
    };
    Some([end(low, f32::NEG_INFINITY)?, end(high, f32::INFINITY)?])
}

fn between(key: &str, text: &str, [low, high]: [f32; 2], kind: &Kind) -> Result<Allowed> {
    if low > high {
        return Err(Error::setting(key, format!("is \"{text}\", which ends before it begins")));
    }
    let Kind::Discrete(values) = kind else { return Ok(Allowed::Between([low, high])) };
    let slack = tolerance(values);
    let within = |value: &f32| (low - slack..=high + slack).contains(value);
    let these: Vec<f32> = values.iter().copied().filter(within).collect();
    if these.is_empty() {
        let reason = format!("is \"{text}\", where the factor has no value; {}", listed(values));
        return Err(Error::setting(key, reason));
    }
    Ok(Allowed::These(these))
}

/// The value of the factor that a number means: the same but for digits left out.
fn taken(key: &str, wanted: &Value, values: &[f32]) -> Result<f32> {
    let number = match wanted {
        Value::Integer(number) => *number as f32,
        Value::Float(number) => *number as f32,
        _ => {
            let reason = format!("cannot be {wanted}; a value is a number");
            return Err(Error::setting(key, reason));
        }
    };
    let slack = tolerance(values);
    values.iter().copied().find(|value| (value - number).abs() <= slack).ok_or_else(|| {
        let below = values.iter().copied().rfind(|value| *value < number);
        let above = values.iter().copied().find(|value| *value > number);
        let nearest = match (below, above) {
            (Some(below), Some(above)) => format!("the nearest are {below} and {above}"),
            _ => listed(values),
        };
        Error::setting(key, format!("is never {number}; {nearest}"))
    })
}

/// Where a value is in an ordered list.
pub(super) fn place(values: &[f32], value: f32) -> Option<usize> {
    let place = values.partition_point(|other| *other < value);
    (values.get(place) == Some(&value)).then_some(place)
}

/// A hundredth of the smallest step: enough for 0.4839 to mean 15/31.
fn tolerance(values: &[f32]) -> f32 {
    let steps = values.windows(2).map(|pair| pair[1] - pair[0]);
    steps.fold(f32::INFINITY, f32::min).min(1.0) / 100.0
}

/// "its values are 1, 2, 3", or the ends of a long list.
fn listed(values: &[f32]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    match &texts[..] {
        [first, second, .., last] if texts.len() > 8 => {
            format!("its values are {first}, {second}, ... {last}")
        }
        _ => format!("its values are {}", texts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors() -> Vec<Factor> {
        let positions = (0..32).map(|k| k as f32 / 31.0);
        vec![
            Factor::discrete("shape", [1.0, 2.0, 3.0]),
            Factor::discrete("posX", positions),
            Factor::continuous("length"),
        ]
    }

    fn condition(text: &str) -> Result<Condition> {
        read("data.variant.keep", &text.parse().unwrap(), &factors()).map(|mut all| all.remove(0))
    }

    /// Which values of posX a condition allows.
    fn positions(text: &str) -> Vec<usize> {
        let condition = condition(text).unwrap();
        (0..32).filter(|k| condition.holds(&[1.0, *k as f32 / 31.0, 0.0])).collect()
    }

    #[test]
    fn values_lists_and_ranges_are_understood() {
        assert_eq!(positions("posX = 1"), [31]);
        assert_eq!(positions("posX = [0, 0.4839, 1.0]"), [0, 15, 31]);
        assert_eq!(positions("posX = \"0..0.0968\""), [0, 1, 2, 3]);
        assert_eq!(positions("posX = \"0.95 ..\""), [30, 31]);
        assert_eq!(positions("posX = \"..0\""), [0]);
        assert_eq!(positions("posX = \"..\"").len(), 32);
        let lengths = condition("length = \"-1..2.5\"").unwrap();
        let holds = |length| lengths.holds(&[1.0, 0.0, length]);
        assert!(holds(-1.0) && holds(2.5) && !holds(2.6) && !holds(-1.1));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_way_out() {
        let cases = [
            ("posX = 0.5", "keep.posX` is never 0.5; the nearest are 0.48387095 and 0.516129"),
            ("shape = 4", "keep.shape` is never 4; its values are 1, 2, 3"),
            ("posx = 0", "keep` has `posx`, which is no factor; did you mean `posX`?"),
            ("shape = \"heart\"", "keep.shape` cannot be \"heart\"; a range is written as"),
            ("shape = []", "keep.shape` is an empty list"),
            ("shape = \"3..1\"", "keep.shape` is \"3..1\", which ends before it begins"),
            ("posX = \"0.49..0.51\"", "where the factor has no value; its values are 0, 0.03"),
            ("length = 3", "keep.length` takes any number, so give a range"),
            ("shape = true", "keep.shape` cannot be true; a value is a number"),
            ("posX = \"0..nan\"", "keep.posX` cannot be \"0..nan\""),
        ];
        for (text, expected) in cases {
            let error = condition(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
