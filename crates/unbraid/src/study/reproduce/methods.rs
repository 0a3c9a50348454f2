//! A table with a line for each method, each number beside the published one.

use super::short;
use crate::report::published::{self, Published};
use crate::study::{Cell, Line, markdown};

/// Which numbers of which methods stand beside which published ones.
#[derive(Debug)]
pub struct Methods {
    /// The data sets, by name, each a table of its own; the study varies `data.name` over them.
    pub data: &'static [&'static str],
    /// The set of concepts, where the paper has several of the same data.
    pub concepts: Option<&'static str>,
    /// The rows of the study file, with the model that the paper has a number of, if it has one.
    pub methods: &'static [(&'static str, Option<&'static str>)],
    /// The metrics, in percent where that is how the paper prints them.
    pub metrics: &'static [Number],
}

/// A column.
#[derive(Debug)]
pub struct Number {
    /// What stands above it.
    pub title: &'static str,
    /// The number of the study.
    pub number: &'static str,
    /// The metric of the published number; empty where there is none.
    pub published: &'static str,
    /// What it is multiplied with.
    pub times: f64,
}

impl Methods {
    pub(super) fn markdown(&self, lines: &[Line]) -> String {
        self.data.iter().map(|data| self.table(data, lines)).collect::<Vec<_>>().join("\n")
    }

    fn table(&self, data: &str, lines: &[Line]) -> String {
        let mut head = vec![data.to_string(), "runs".into()];
        for number in self.metrics {
            head.push(number.title.to_string());
            if !number.published.is_empty() {
                head.push("published".into());
            }
        }
        let mut rows = vec![head];
        for (name, model) in self.methods {
            let line = lines.iter().find(|line| line.family == *name && is_on(line, data));
            let theirs = |number: &Number| match self.published(*model, data, number) {
                Some(found) => theirs(found, number),
                None => "-".into(),
            };
            let printed = |number: &Number| self.published(*model, data, number).is_some();
            if line.is_none() && !self.metrics.iter().any(printed) {
                continue;
            }
            let runs = line.map_or("not run here".into(), |line| line.runs.0.to_string());
            let mut row = vec![(*name).to_string(), runs];
            for number in self.metrics {
                let cell = line.and_then(|line| line.cells.get(number.number));
                row.push(cell.map_or("-".into(), |cell| ours(cell, number)));
                if !number.published.is_empty() {
                    row.push(theirs(number));
                }
            }
            rows.push(row);
        }
        markdown(&rows)
    }

    /// The published number beside one of ours.
    pub fn published(&self, model: Option<&str>, data: &str, number: &Number) -> Option<Published> {
        published::find_of(model?, data, number.published, self.concepts)
    }

    /// The published number beside a number of a line, by the names of both.
    pub fn beside(&self, line: &Line, column: &str) -> Option<Published> {
        let (_, model) = self.methods.iter().find(|(name, _)| *name == line.family)?;
        let data = self.data.iter().find(|data| is_on(line, data))?;
        let number = self.metrics.iter().find(|number| number.number == column)?;
        (!number.published.is_empty()).then(|| self.published(*model, data, number))?
    }
}

/// Whether a line is of this data set: it says so, or the study has no other.
fn is_on(line: &Line, data: &str) -> bool {
    let named = line.at.iter().find(|(key, _)| key == "data.name");
    named.is_none_or(|(_, value)| value.as_str() == Some(data))
}

/// The mean and its standard error.
fn ours(cell: &Cell, number: &Number) -> String {
    let count = cell.values.len() as f64;
    let (mean, error) =
        (cell.mean() * number.times, cell.deviation() * number.times / count.sqrt());
    match cell.values.len() {
        1 => number.short(mean),
        _ => format!("{} ± {}", number.short(mean), number.short(error)),
    }
}

fn theirs(published: Published, number: &Number) -> String {
    let [value, error] = [published.value, published.error].map(|value| value * number.times);
    match error == 0.0 {
        true => number.short(value),
        false => format!("{} ± {}", number.short(value), number.short(error)),
    }
}

impl Number {
    /// Percents with one digit, others with three.
    fn short(&self, number: f64) -> String {
        match self.times == 100.0 && number.abs() < 100.0 && number != 0.0 {
            true => format!("{number:.1}"),
            false => short(Some(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Value;

    #[test]
    fn ours_stand_beside_theirs() {
        let line = |family: &str, data: &str, values: &[f64]| Line {
            row: family.into(),
            family: family.into(),
            at: vec![("data.name".into(), Value::String(data.into()))],
            runs: (values.len(), values.len()),
            cells: [("mic".to_string(), Cell { values: values.to_vec() })].into(),
        };
        let methods = Methods {
            data: &["pendulum", "flow"],
            concepts: None,
            methods: &[("CausalVAE", Some("causal-vae")), ("ours", None)],
            metrics: &[
                Number { title: "MIC", number: "mic", published: "mic", times: 100.0 },
                Number { title: "SHD", number: "shd", published: "", times: 1.0 },
            ],
        };
        let lines = [
            line("CausalVAE", "pendulum", &[0.9, 0.94]),
            line("CausalVAE", "flow", &[0.8]),
            line("ours", "pendulum", &[1.0]),
        ];
        let expected = "| pendulum | runs | MIC | published | SHD |\n|---|---|---|---|---|\n\
                        | CausalVAE | 2 | 92.0 ± 2.0 | 95.1 ± 2.4 | - |\n\
                        | ours | 1 | 100 | - | - |\n\n\
                        | flow | runs | MIC | published | SHD |\n|---|---|---|---|---|\n\
                        | CausalVAE | 1 | 80.0 | 72.1 ± 1.3 | - |\n";
        assert_eq!(methods.markdown(&lines), expected);
        let beside = methods.beside(&lines[1], "mic").unwrap();
        assert_eq!(beside.value, 0.721);
        assert!(methods.beside(&lines[2], "mic").is_none());
        assert!(methods.beside(&lines[1], "shd").is_none());
    }
}
