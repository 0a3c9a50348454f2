//! A table with a line for each data set, and their mean.

use super::{of_row, short};
use crate::study::{Line, markdown};

/// Which numbers of which rows stand beside each other.
#[derive(Debug)]
pub struct Seeds {
    /// The seed that varies.
    pub key: &'static str,
    /// The rows whose matching of sources and codes is drawn, for the first data set.
    pub drawn: &'static [&'static str],
    /// From left to right.
    pub columns: &'static [Column],
}

/// One number of one row of the study file.
#[derive(Debug)]
pub struct Column {
    /// What stands above it.
    pub title: &'static str,
    /// The row.
    pub row: &'static str,
    /// The number.
    pub number: &'static str,
}

impl Seeds {
    pub(super) fn markdown(&self, lines: &[Line]) -> String {
        let values = |column: &Column| {
            let line = of_row(lines, column.row).next();
            line.and_then(|line| line.cells.get(column.number)).map(|cell| cell.values.clone())
        };
        let found: Vec<Vec<f64>> =
            self.columns.iter().map(|column| values(column).unwrap_or_default()).collect();
        let most = found.iter().map(Vec::len).max().unwrap_or(0);
        let mut head = vec![self.key.to_string()];
        head.extend(self.columns.iter().map(|column| column.title.to_string()));
        let mut rows = vec![head];
        for seed in 0..most {
            let mut row = vec![seed.to_string()];
            row.extend(found.iter().map(|values| short(values.get(seed).copied())));
            rows.push(row);
        }
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let mut last = vec!["mean".to_string()];
        last.extend(found.iter().map(|v| short((!v.is_empty()).then(|| mean(v)))));
        rows.push(last);
        markdown(&rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Cell;

    #[test]
    fn data_sets_are_lines_and_rows_are_columns() {
        let line = |family: &str, values: &[f64]| Line {
            row: family.into(),
            family: family.into(),
            at: vec![],
            runs: (2, 2),
            cells: [("mcc".to_string(), Cell { values: values.to_vec() })].into(),
        };
        let seeds = Seeds {
            key: "data.seed",
            drawn: &[],
            columns: &[
                Column { title: "iVAE", row: "ivae", number: "mcc" },
                Column { title: "none", row: "ivae", number: "mig" },
            ],
        };
        let table = seeds.markdown(&[line("vae", &[0.1, 0.2]), line("ivae", &[0.5, 0.7])]);
        let expected = "| data.seed | iVAE | none |\n|---|---|---|\n| 0 | 0.500 | - |\n\
                        | 1 | 0.700 | - |\n| mean | 0.600 | - |\n";
        assert_eq!(table, expected);
    }
}
