//! The table of a study: a line for each row, a cell for each number, mean and spread over seeds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use serde_json::{Value as Json, json};
use toml::Value;
use unbraid_measure::files;
use unbraid_measure::tables::frame::guarded;

use super::{Planned, Study};
use crate::draw::words::three_digits;
use crate::error::Result;

/// What was found, row by row.
#[derive(Debug)]
pub struct Gathered {
    /// The columns to show, in order.
    pub columns: Vec<String>,
    /// A line for each row of the study.
    pub lines: Vec<Line>,
}

/// A row of the table.
#[derive(Debug)]
pub struct Line {
    /// Its name.
    pub row: String,
    /// The name of the row in the study file, and what of `[vary]` is special to it.
    pub family: String,
    /// By key.
    pub at: Vec<(String, Value)>,
    /// How many of its runs are done, and how many there are.
    pub runs: (usize, usize),
    /// By column.
    pub cells: BTreeMap<String, Cell>,
}

/// The numbers of some runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// One for each run that has it.
    pub values: Vec<f64>,
}

impl Line {
    fn of(run: &Planned) -> Self {
        let (row, family, at) = (run.row.clone(), run.family.clone(), run.at.clone());
        Self { row, family, at, runs: (0, 0), cells: BTreeMap::new() }
    }

    /// The number that a key of `[vary]` has here.
    pub fn number(&self, key: &str) -> Option<f64> {
        let (_, value) = self.at.iter().find(|(name, _)| name == key)?;
        value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
    }

    /// The mean of a column, if it is known.
    pub fn mean(&self, column: &str) -> Option<f64> {
        self.cells.get(column).map(Cell::mean)
    }
}

impl Cell {
    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Their standard deviation, of a sample; 0 for one.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / (self.values.len() - 1).max(1) as f64).sqrt()
    }
}

impl Study {
    /// The table of what is done.
    pub fn gather(&self) -> Result<Gathered> {
        let mut lines: Vec<Line> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        // Runs of one row need not follow each other: a seed may move slower than another list.
        let mut places: HashMap<&str, usize> = HashMap::new();
        for run in &self.runs {
            let place = *places.entry(&run.row).or_insert_with(|| {
                lines.push(Line::of(run));
                lines.len() - 1
            });
            lines[place].runs.1 += 1;
        }
        let mut known = HashSet::new();
        for (run, numbers) in self.numbers()? {
            let line = &mut lines[places[run.row.as_str()]];
            line.runs.0 += 1;
            for number in numbers {
                let name = number.title();
                if known.insert(name.clone()) {
                    seen.push(name.clone());
                }
                line.cells.entry(name).or_default().values.push(number.value);
            }
        }
        let shown = |name: &String| !name.contains('/');
        let columns = match self.columns.is_empty() {
            true => seen.into_iter().filter(shown).collect(),
            false => self.columns.clone(),
        };
        Ok(Gathered { columns, lines })
    }
}

impl Gathered {
    /// Cells as words, the names of the columns first.
    pub fn words(&self) -> Vec<Vec<String>> {
        let mut head = vec!["row".to_string(), "runs".into()];
        head.extend(self.columns.iter().cloned());
        let line = |line: &Line| {
            let (done, all) = line.runs;
            let runs = if done == all { all.to_string() } else { format!("{done} of {all}") };
            let cell = |column: &String| match line.cells.get(column) {
                None => "-".into(),
                Some(cell) if cell.values.len() < 2 => three_digits(cell.mean(), 2),
                Some(cell) => format!(
                    "{} ± {}",
                    three_digits(cell.mean(), 2),
                    three_digits(cell.deviation(), 2)
                ),
            };
            let mut words = vec![line.row.clone(), runs];
            words.extend(self.columns.iter().map(cell));
            words
        };
        std::iter::once(head).chain(self.lines.iter().map(line)).collect()
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        markdown(&self.words())
    }

    /// Every number of every row, not only the shown ones.
    pub fn to_json(&self) -> Json {
        let cell = |(name, cell): (&String, &Cell)| {
            let (mean, deviation) = (cell.mean(), cell.deviation());
            (name.clone(), json!({"mean": mean, "sd": deviation, "values": cell.values}))
        };
        let line = |line: &Line| {
            let cells: serde_json::Map<String, Json> = line.cells.iter().map(cell).collect();
            json!({"row": line.row, "done": line.runs.0, "runs": line.runs.1, "cells": cells})
        };
        let lines: Vec<Json> = self.lines.iter().map(line).collect();
        json!({"format": 1, "columns": self.columns, "rows": lines})
    }

    /// Write every number as CSV: a line for each number of each row.
    pub fn write_csv(&self, path: &std::path::Path) -> Result<()> {
        let mut text = String::from("row,number,runs,mean,sd\n");
        for line in &self.lines {
            for (name, cell) in &line.cells {
                let row = guarded(&line.row).replace('"', "\"\"");
                let (runs, mean, sd) = (cell.values.len(), cell.mean(), cell.deviation());
                let _ = writeln!(text, "\"{row}\",{name},{runs},{mean},{sd}");
            }
        }
        Ok(files::write(path, text.as_bytes())?)
    }
}

/// A Markdown table, the first row its head.
pub(crate) fn markdown(rows: &[Vec<String>]) -> String {
    let line = |words: &Vec<String>| format!("| {} |\n", words.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(rows[0].len()));
    let body: String = rows[1..].iter().map(line).collect();
    format!("{}{rule}{body}", line(&rows[0]))
}
