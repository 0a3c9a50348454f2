//! Published experiments that can be run again: each is a few studies, and how their tables are shown.
//!
//! To add one, write its study files, its file here, and add it to [`EXPERIMENTS`].

use std::path::Path;

use toml::{Table, Value};
use unbraid_measure::info::did_you_mean;

use crate::draw::words::three_digits;
use crate::error::{Error, Result};
use crate::run::config;
use crate::study::{Gathered, Line, Study};

mod beta_vae;
mod biscuit;
mod causal_vae;
mod citris;
mod ct_vae;
mod curves;
mod depths;
mod ivae;
mod ladder_vae;
mod methods;
mod results;
mod seeds;
mod tcl;

pub use curves::Curves;
pub use depths::Depths;
pub use methods::{Methods, Number};
pub use results::Results;
pub use seeds::{Column, Seeds};

/// Every experiment.
pub static EXPERIMENTS: &[Experiment] = &[
    ivae::EXPERIMENT,
    tcl::EXPERIMENT,
    causal_vae::EXPERIMENT,
    beta_vae::EXPERIMENT,
    ladder_vae::EXPERIMENT,
    citris::EXPERIMENT,
    biscuit::EXPERIMENT,
    ct_vae::EXPERIMENT,
];

/// A published experiment.
#[derive(Debug)]
pub struct Experiment {
    /// What it is called by.
    pub name: &'static str,
    /// A line of a table.
    pub summary: &'static str,
    /// How to read what comes out, with what is published beside it.
    pub reading: &'static str,
    /// What a quick run has less of, the end of a sentence.
    pub quick: &'static str,
    /// Its studies.
    pub parts: &'static [Part],
}

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// A few runs in place of all.
    pub quick: bool,
    /// How many data sets, where not as many as the study says.
    pub seeds: Option<u16>,
    /// One part in place of all.
    pub part: Option<&'static Part>,
}

/// One study of an experiment.
#[derive(Debug)]
pub struct Part {
    /// The name of its directory.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Whether it is left out where its data are not on this machine.
    pub optional: bool,
    /// The list of `[vary]` that `--seeds` makes longer or shorter.
    seeds: &'static str,
    /// The study file; its section `[quick]` lies over the rest in a quick run.
    file: &'static str,
    /// What lies over that file, where parts differ in little.
    over: &'static str,
    /// How its table is shown.
    pub shown: Shown,
}

/// How the table of a study is shown.
#[derive(Debug)]
pub enum Shown {
    /// A line for each data set.
    Seeds(Seeds),
    /// A picture, and the numbers in it.
    Curves(Curves),
    /// A line for each method, ours beside theirs.
    Methods(Methods),
    /// A line for each depth of a hierarchy, a column for each method.
    Depths(Depths),
}

impl Shown {
    /// Whether a number of a row of the study file is in the table.
    fn shows(&self, row: &str, number: &str) -> bool {
        match self {
            Self::Seeds(seeds) => {
                seeds.columns.iter().any(|column| column.row == row && column.number == number)
            }
            Self::Curves(curves) => curves.number == number,
            Self::Methods(methods) => methods.metrics.iter().any(|metric| metric.number == number),
            Self::Depths(_) => number == depths::NUMBER || number == "seconds",
        }
    }
}

/// Find an experiment by name.
pub fn find(name: &str) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let hint = did_you_mean(name, EXPERIMENTS.iter().map(|experiment| experiment.name));
        Error::Unable(format!("unknown experiment `{name}`{hint} (`unbraid reproduce` shows all)"))
    })
}

impl Experiment {
    /// Find a part by name.
    pub fn part(&self, name: &str) -> Result<&'static Part> {
        self.parts.iter().find(|part| part.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.parts.iter().map(|part| part.name).collect();
            let hint = did_you_mean(name, names.iter().copied());
            let known = names.join(", ");
            Error::Unable(format!("`{}` has no part `{name}`{hint} (known: {known})", self.name))
        })
    }
}

impl Part {
    /// The study in its directory, planned if it is new.
    pub fn study(&self, directory: &Path, budget: Budget) -> Result<Study> {
        let file = self.table(budget);
        if !directory.join("study.toml").is_file() {
            return Study::create(directory, &file);
        }
        let study = Study::open(directory)?;
        if !study.is_that_of(&file)? {
            let reason = "holds another study (with other --quick or --seeds, or of an earlier \
                          version); choose another --out";
            return Err(Error::run(directory, reason));
        }
        Ok(study)
    }

    fn table(&self, budget: Budget) -> Table {
        let parsed = |text: &str| text.parse::<Table>().expect("a study of ours is TOML");
        let mut table = config::overlaid(parsed(self.file), parsed(self.over));
        let mut table = match (table.remove("quick"), budget.quick) {
            (Some(Value::Table(less)), true) => config::overlaid(table, less),
            _ => table,
        };
        if let Some(count) = budget.seeds {
            let seeds = (0..i64::from(count)).map(Value::Integer).collect();
            config::put(&mut table, self.seeds, Value::Array(seeds)).expect("a section");
            // As many for all: also for rows that have fewer of their own.
            let rows = table.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten();
            rows.filter_map(Value::as_table_mut).for_each(|row| drop(row.remove("vary")));
        }
        table
    }

    /// The table as Markdown.
    pub fn markdown(&self, gathered: &Gathered) -> String {
        match &self.shown {
            Shown::Seeds(seeds) => seeds.markdown(&gathered.lines),
            Shown::Curves(curves) => curves.markdown(&gathered.lines),
            Shown::Methods(methods) => methods.markdown(&gathered.lines),
            Shown::Depths(depths) => depths.markdown(&gathered.lines),
        }
    }
}

/// A number of a table with three digits, or a dash.
fn short(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| three_digits(number, 3))
}

/// The lines of a row of the study file.
fn of_row<'a>(lines: &'a [Line], row: &'a str) -> impl Iterator<Item = &'a Line> {
    lines.iter().filter(move |line| line.family == row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_study_can_be_planned_whole_and_quick() {
        for experiment in EXPERIMENTS {
            for part in experiment.parts.iter().filter(|part| !part.optional) {
                let budgets = [(true, None), (false, None), (true, Some(2))];
                // Parts of one file differ in their data alone, and worlds take a while to open.
                let alike = experiment.parts.iter().any(|first| first.file == part.file)
                    && experiment.parts[0].name != part.name
                    && !part.over.is_empty();
                for (quick, seeds) in budgets.into_iter().take(if alike { 1 } else { 3 }) {
                    let directory = tempfile::tempdir().unwrap();
                    let place = directory.path().join(part.name);
                    let budget = Budget { quick, seeds, part: None };
                    let study = part.study(&place, budget).unwrap();
                    assert!(!study.runs.is_empty(), "{} {}", experiment.name, part.name);
                    let last = study.runs.iter().any(|run| run.name.ends_with("seed-1"));
                    assert!(seeds.is_none() || last, "{} {}", experiment.name, part.name);
                    // Again: the one that is there. Otherwise: refused.
                    let again = part.study(&place, budget).unwrap();
                    let names = |study: &Study| {
                        let mut names: Vec<_> =
                            study.runs.iter().map(|run| run.name.clone()).collect();
                        names.sort();
                        names
                    };
                    assert_eq!(names(&again), names(&study));
                    let other = Budget { seeds: Some(99), ..budget };
                    let refused = part.study(&place, other).unwrap_err().to_string();
                    assert!(refused.contains("holds another study"), "{refused}");
                }
            }
        }
    }

    /// Their data may not be here, but their models and settings can be tried on others.
    #[test]
    fn every_study_of_files_can_be_planned_but_for_its_data() {
        let optional = EXPERIMENTS.iter().flat_map(|experiment| experiment.parts);
        for part in optional.filter(|part| part.optional) {
            for quick in [false, true] {
                let mut table = part.table(Budget { quick, ..Budget::default() });
                let data = table.get_mut("data").and_then(Value::as_table_mut).unwrap();
                // Of variants only what makes pairs: the others name what is in the data.
                let transitions = data
                    .remove("variant")
                    .and_then(|variant| variant.as_table()?.get("transitions").cloned());
                data.clear();
                if let Some(transitions) = transitions {
                    let mut variant = Table::new();
                    variant.insert("transitions".into(), transitions);
                    data.insert("variant".into(), Value::Table(variant));
                }
                data.insert("name".into(), "squares".into());
                let score = table.get_mut("score").and_then(Value::as_table_mut).unwrap();
                score.remove("held_out");
                let directory = tempfile::tempdir().unwrap();
                let study = Study::create(&directory.path().join(part.name), &table).unwrap();
                assert!(study.runs.len() >= 4, "{}", part.name);
            }
        }
    }
}
