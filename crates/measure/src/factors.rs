//! Factors: the true variables behind the data, and the numbers they take.

/// One true variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Its name, unique within a data set.
    pub name: String,
    /// Whether it takes a few known values or any.
    pub kind: Kind,
    /// What the values 0, 1, 2, ... are called; empty where numbers are numbers.
    pub words: Vec<String>,
}

/// The values a factor can take.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// These values, in order; metrics work on the index of a value among them.
    Discrete(Vec<f32>),
    /// Any number.
    Continuous,
    /// Any angle, in radians: 0 and 2π are the same.
    Angle,
}

impl Factor {
    /// A factor that takes the given values.
    pub fn discrete(name: impl Into<String>, values: impl IntoIterator<Item = f32>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Discrete(values.into_iter().collect()),
            words: vec![],
        }
    }

    /// A factor that takes any number.
    pub fn continuous(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Continuous, words: vec![] }
    }

    /// A factor that is an angle, in radians.
    pub fn angle(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Angle, words: vec![] }
    }

    /// The same whose values have names.
    pub fn with_words(self, words: Vec<String>) -> Self {
        Self { words, ..self }
    }

    /// What a value is called: its word, or the number.
    pub fn called(&self, value: f32) -> String {
        let whole = value >= 0.0 && value.fract() == 0.0;
        let word = whole.then(|| self.words.get(value as usize)).flatten();
        // Adding zero makes a plain zero of a negative one.
        word.cloned().unwrap_or_else(|| format!("{}", (f64::from(value) * 1e4).round() / 1e4 + 0.0))
    }

    /// How many values a discrete factor takes.
    pub fn size(&self) -> Option<usize> {
        match &self.kind {
            Kind::Discrete(values) => Some(values.len()),
            Kind::Continuous | Kind::Angle => None,
        }
    }

    /// The factor of a column of numbers: discrete if `whole` (it was stored as integers), or if
    /// its values repeat: at most 256 different ones, each at least twice on average.
    pub fn of_column(name: impl Into<String>, column: &[f32], whole: bool) -> Self {
        let mut values = column.to_vec();
        values.sort_by(f32::total_cmp);
        values.dedup();
        if whole || (values.len() <= 256 && values.len() * 2 <= column.len()) {
            Self::discrete(name, values)
        } else {
            Self::continuous(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_numbers_are_discrete_and_scattered_ones_continuous() {
        let repeated: Vec<f32> = (0..100).map(|i| (i % 5) as f32 * 0.1).collect();
        assert_eq!(Factor::of_column("a", &repeated, false).size(), Some(5));
        let scattered: Vec<f32> = (0..100).map(|i| (i as f32).sin()).collect();
        assert_eq!(Factor::of_column("b", &scattered, false).kind, Kind::Continuous);
        assert_eq!(Factor::of_column("c", &scattered, true).size(), Some(100));
    }

    #[test]
    fn a_value_is_called_by_its_word_or_its_number() {
        let shape =
            Factor::discrete("shape", [0.0, 1.0]).with_words(vec!["cup".into(), "heart".into()]);
        assert_eq!([1.0, 2.0, 0.5].map(|value| shape.called(value)), ["heart", "2", "0.5"]);
        assert_eq!(Factor::continuous("size").called(-0.0), "0");
    }
}
