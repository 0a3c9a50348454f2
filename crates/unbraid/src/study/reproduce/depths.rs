//! A table with a line for each depth of a hierarchy and a column for each method, as Sønderby et al. have
//! it: the bound of log p(x), ours beside theirs.

use toml::Value;

use crate::report::published;
use crate::study::{Cell, Line, markdown};

/// Which bounds stand beside each other; the study varies `model.layers`.
#[derive(Debug)]
pub struct Depths {
    /// The data, by name.
    pub data: &'static str,
    /// The rows of the study file, from left to right.
    pub methods: &'static [&'static str],
}

/// The number that is shown.
pub(super) const NUMBER: &str = "log-likelihood";

impl Depths {
    pub(super) fn markdown(&self, lines: &[Line]) -> String {
        let mut depths: Vec<&Vec<Value>> = lines.iter().filter_map(layers).collect();
        depths.sort_by_key(|layers| layers.len());
        depths.dedup();
        let mut head = vec![format!("{}, layers", self.data)];
        for method in self.methods {
            head.extend([(*method).to_string(), "published".into()]);
        }
        head.push("seconds a run".into());
        let mut rows = vec![head];
        for depth in depths {
            let of_depth = || lines.iter().filter(|line| layers(line) == Some(depth));
            let sizes: Vec<String> = depth.iter().map(Value::to_string).collect();
            let mut row = vec![sizes.join("-")];
            for method in self.methods {
                let line = of_depth().find(|line| line.family == *method);
                let cell = line.and_then(|line| line.cells.get(NUMBER));
                row.push(cell.map_or("-".into(), ours));
                let theirs = published::log_likelihood(self.data, method, depth.len());
                row.push(theirs.map_or("-".into(), |value| format!("{value:.2}")));
            }
            let spent: Vec<f64> = of_depth().filter_map(|line| line.mean("seconds")).collect();
            let spent = (!spent.is_empty()).then(|| spent.iter().sum::<f64>() / spent.len() as f64);
            row.push(spent.map_or("-".into(), |seconds| format!("{seconds:.0}")));
            rows.push(row);
        }
        markdown(&rows)
    }

    /// The published number beside a number of a line, by the names of both.
    pub fn beside(&self, line: &Line, column: &str) -> Option<f64> {
        let depth = layers(line)?.len();
        (column == NUMBER).then(|| published::log_likelihood(self.data, &line.family, depth))?
    }
}

fn layers(line: &Line) -> Option<&Vec<Value>> {
    line.at.iter().find(|(key, _)| key == "model.layers")?.1.as_array()
}

/// The mean, and its standard error where there are several.
fn ours(cell: &Cell) -> String {
    let error = cell.deviation() / (cell.values.len() as f64).sqrt();
    match cell.values.len() {
        1 => format!("{:.2}", cell.mean()),
        _ => format!("{:.2} ± {error:.2}", cell.mean()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(family: &str, layers: &[i64], value: f64) -> Line {
        let layers = layers.iter().map(|size| Value::Integer(*size)).collect();
        Line {
            row: family.into(),
            family: family.into(),
            at: vec![("model.layers".into(), Value::Array(layers))],
            runs: (1, 1),
            cells: [(NUMBER, value), ("seconds", 60.4)]
                .map(|(name, value)| (name.to_string(), Cell { values: vec![value] }))
                .into(),
        }
    }

    #[test]
    fn depths_go_down_and_methods_across_with_what_is_published() {
        let depths = Depths { data: "omniglot", methods: &["VAE", "LVAE +BN +WU"] };
        let lines = [
            line("VAE", &[64, 32], -112.0),
            line("VAE", &[64], -113.456),
            line("LVAE +BN +WU", &[64, 32], -105.0),
        ];
        let expected = "| omniglot, layers | VAE | published | LVAE +BN +WU | published | seconds a run |\n\
                        |---|---|---|---|---|---|\n\
                        | 64 | -113.46 | -111.21 | - | - | 60 |\n\
                        | 64-32 | -112.00 | -110.58 | -105.00 | -102.63 | 60 |\n";
        assert_eq!(depths.markdown(&lines), expected);
        assert_eq!(depths.beside(&lines[2], NUMBER), Some(-102.63));
        assert_eq!(depths.beside(&lines[2], "seconds"), None);
    }
}
