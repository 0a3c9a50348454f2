//! What became of somebody's own files: which columns are observed and which are not, how they were
//! scaled, what was left out. Whatever opens, trains or shows such data says it from here.

use crate::settings::words;

/// What is known of the files behind a data set. Empty for data that were made to be learned from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The columns, in the order of the file.
    pub channels: Vec<Channel>,
    /// How observations were scaled, where they were.
    pub scaling: Option<Scaling>,
    /// What a user should know, a sentence each: what was left out, dropped or filled in.
    pub remarks: Vec<String>,
}

/// Nothing is known.
pub static NOTHING: About = About { channels: vec![], scaling: None, remarks: vec![] };

impl About {
    /// The name of each of `width` observed numbers, where columns have names.
    pub fn names(&self, width: usize) -> Option<Vec<String>> {
        let observed = self.channels.iter().filter(|channel| channel.role == Role::Observed);
        let names: Vec<String> = match &self.scaling {
            Some(scaling) => scaling.names.clone(),
            None => observed.map(|channel| channel.name.clone()).collect(),
        };
        (names.len() == width && width > 0).then_some(names)
    }

    /// Whether some column says in which order rows were observed.
    pub fn is_in_time(&self) -> bool {
        let timed = [Role::Time, Role::Segment, Role::Episode];
        self.channels.iter().any(|channel| timed.contains(&channel.role))
    }
}

/// One column of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
    /// How many cells have no value.
    pub missing: usize,
    /// What it is used for.
    pub role: Role,
    /// Why it is left out, or what is made of it, in words; empty where nothing is to be said.
    pub note: String,
}

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// Numbers, all of them whole or not, and the smallest and largest of them.
    Numbers {
        /// All of them are whole.
        whole: bool,
        /// From the smallest to the largest.
        range: [f64; 2],
    },
    /// Words.
    Words {
        /// How many different ones, nearly if they are thousands.
        different: usize,
        /// Those that come first in the alphabet.
        first: Vec<String>,
    },
    /// Days or times, from the first in the file to the last.
    Times([String; 2]),
    /// Numbers and words.
    Mixed,
    /// No value at all.
    Nothing,
}

words! {
    /// What a column is used for.
    pub enum Role {
        /// It is part of an observation.
        Observed = "observed",
        /// It is a true factor.
        Factor = "factor",
        /// It says to which segment a row belongs.
        Segment = "segment",
        /// It says to which sequence a row belongs.
        Episode = "episode",
        /// It says when a row was observed.
        Time = "time",
        /// It is not used.
        LeftOut = "left out",
    }
}

/// What each number of an observation was before: number · scale + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// How they were scaled, in a word: that of the setting.
    pub by: &'static str,
    /// The name of each number: that of its column, with a word where the column has words.
    pub names: Vec<String>,
    /// What was subtracted.
    pub offsets: Vec<f64>,
    /// By what was divided.
    pub scales: Vec<f64>,
}

impl Scaling {
    /// Bring rows of observations, one after the other, back to the units of the file.
    pub fn undo(&self, rows: &mut [f32]) {
        for row in rows.chunks_mut(self.scales.len().max(1)) {
            for ((number, scale), offset) in row.iter_mut().zip(&self.scales).zip(&self.offsets) {
                *number = (f64::from(*number) * scale + offset) as f32;
            }
        }
    }

    /// The inverse: from the units of the file to what a model sees.
    pub fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_mut(self.scales.len().max(1)) {
            for ((number, scale), offset) in row.iter_mut().zip(&self.scales).zip(&self.offsets) {
                *number = ((f64::from(*number) - offset) / scale) as f32;
            }
        }
    }
}

impl Holds {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Numbers { whole: true, .. } => "whole numbers",
            Self::Numbers { whole: false, .. } => "numbers",
            Self::Words { .. } => "words",
            Self::Times(_) => "times",
            Self::Mixed => "numbers and words",
            Self::Nothing => "nothing",
        }
    }

    /// From where to where, or which.
    pub fn span(&self) -> String {
        match self {
            Self::Numbers { range: [low, high], .. } => {
                format!("{} … {}", short(*low), short(*high))
            }
            Self::Words { different, first } => {
                let more = if *different > first.len() { ", …" } else { "" };
                format!("{different}: {}{more}", first.join(", "))
            }
            Self::Times([first, last]) => format!("{first} … {last}"),
            Self::Mixed | Self::Nothing => String::new(),
        }
    }
}

/// What is said of rows whose factors are not known.
pub(crate) fn unlabelled(count: usize, rows: usize) -> String {
    format!(
        "{count} of {rows} rows have no value of some factor: they are learned from, and left out of \
         scores"
    )
}

/// A number in five digits: 0.0031416, 12.5, 1.7e9.
pub fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{number:.4e}").replace(".0000e", "e");
    }
    let digits = (4 - size.max(1e-4).log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 12.5, 1e6, 1.7e9, 0.003_141_59, -273.15, 2e-9].map(short);
        assert_eq!(shown, ["0", "12.5", "1000000", "1.7000e9", "0.0031416", "-273.15", "2e-9"]);
    }

    #[test]
    fn what_was_scaled_comes_back() {
        let (names, offsets) = (vec!["a".into(), "b".into()], vec![1e6, -3.0]);
        let scaling = Scaling { by: "standard", names, offsets, scales: vec![250.0, 1e-3] };
        let rows = [1_000_500.0, -3.001, 999_000.0, -2.998];
        let mut seen = rows;
        scaling.apply(&mut seen);
        assert!(seen.iter().all(|number| number.abs() < 5.0), "{seen:?}");
        scaling.undo(&mut seen);
        assert!(seen.iter().zip(rows).all(|(a, b): (&f32, f32)| (a - b).abs() <= b.abs() * 1e-6));
    }
}
