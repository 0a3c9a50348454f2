//! Published experiments that can be run again: each is a few studies, and how their tables are shown.
//!
//! To add one, write its study files and add it to [`EXPERIMENTS`].

use std::path::Path;

use toml::{Table, Value};
use unbraid_measure::info::did_you_mean;

use crate::config;
use crate::error::{Error, Result};
use crate::study::{Gathered, Line, Study};

mod curves;
mod methods;
mod seeds;

pub use curves::Curves;
pub use methods::{Methods, Number};
pub use seeds::{Column, Seeds};

/// Every experiment.
pub static EXPERIMENTS: &[Experiment] = &[IVAE, TCL, CAUSALVAE];

/// A published experiment.
#[derive(Debug)]
pub struct Experiment {
    /// What it is called by.
    pub name: &'static str,
    /// A line of a table.
    pub summary: &'static str,
    /// How to read what comes out, with what is published beside it.
    pub reading: &'static str,
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
}

/// Find an experiment by name.
pub fn find(name: &str) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let hint = did_you_mean(name, EXPERIMENTS.iter().map(|experiment| experiment.name));
        Error::Unable(format!("unknown experiment `{name}`{hint} (`unbraid reproduce` shows all)"))
    })
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
        let mut table: Table = self.file.parse().expect("a study of ours is TOML");
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
        }
    }
}

const IVAE: Experiment = Experiment {
    name: "ivae",
    summary: "sources of a nonlinear mixture, found by an iVAE: MCC by data set, segments and layers",
    reading: "\
MCC is the mean |correlation| of each true source with the code it is matched to. The paper (Khemakhem et al.
2020) has figures and no table. Its released code, run as shipped on ten data sets of this kind, ends in NaN on
two and averages 0.63 on the others; its VAE 0.60.

`bound` is the objective (the negative evidence bound per row, lower is better) where training ended, from the
flow (ours), from the truth, and from a random start. Where ours is near that from the truth, the search has
done its part and what is missing of MCC is the objective's; where it is well above, the search failed.",
    parts: &[
        Part {
            name: "data-sets",
            title: "Data sets of the reference problem",
            optional: false,
            seeds: "vary.data.seed",
            file: include_str!("reproduce/ivae.toml"),
            shown: Shown::Seeds(Seeds {
                key: "data.seed",
                drawn: &["VAE", "iVAE"],
                columns: &[
                    Column { title: "raw x", row: "raw", number: "mcc" },
                    Column { title: "VAE", row: "VAE", number: "mcc" },
                    Column { title: "iVAE, random start", row: "random", number: "mcc" },
                    Column { title: "iVAE", row: "iVAE", number: "mcc" },
                    Column { title: "drawn", row: "iVAE", number: "mcc (sampled)" },
                    Column { title: "held out", row: "iVAE", number: "mcc (held out)" },
                    Column { title: "segment flow", row: "flow", number: "mcc" },
                    Column { title: "bound", row: "iVAE", number: "bound" },
                    Column { title: "from the truth", row: "truth", number: "bound" },
                    Column { title: "from random", row: "random", number: "bound" },
                    Column { title: "seconds", row: "iVAE", number: "seconds" },
                ],
            }),
        },
        Part {
            name: "curves",
            title: "MCC of the iVAE by number of segments and mixing layers",
            optional: false,
            seeds: "vary.data.seed",
            file: include_str!("reproduce/ivae-curves.toml"),
            shown: Shown::Curves(Curves {
                x: "data.segments",
                x_title: "segments",
                lines: "data.layers",
                lines_title: "mixing layers",
                number: "mcc",
                number_title: "MCC",
            }),
        },
        Part {
            name: "easy",
            title: "Two sources, one and two mixing layers",
            optional: false,
            seeds: "vary.data.seed",
            file: include_str!("reproduce/ivae-easy.toml"),
            shown: Shown::Curves(Curves {
                x: "data.layers",
                x_title: "mixing layers",
                lines: "",
                lines_title: "",
                number: "mcc",
                number_title: "MCC",
            }),
        },
    ],
};

const TCL: Experiment = Experiment {
    name: "tcl",
    summary: "sizes of sources, found by telling segments apart: correlation by segments and layers",
    reading: "\
The mean |correlation| of FastICA of the features with the sizes |s| of the true sources: TCL finds no signs. The
paper (Hyvärinen and Morioka 2016) has curves and no table: the correlation rises with the number of segments
and falls with the number of mixing layers.",
    parts: &[Part {
        name: "curves",
        title: "Mean correlation by number of segments and mixing layers, 20 sources",
        optional: false,
        seeds: "vary.data.seed",
        file: include_str!("reproduce/tcl.toml"),
        shown: Shown::Curves(Curves {
            x: "data.segments",
            x_title: "segments",
            lines: "",
            lines_title: "",
            number: "mcc",
            number_title: "mean absolute correlation",
        }),
    }],
};

const CAUSALVAE: Experiment = Experiment {
    name: "causalvae-table1",
    summary: "codes of labelled concepts: MIC and TIC of CausalVAE and its baselines; the graph",
    reading: "\
MIC and TIC, in percent, of codes with the labels of their concepts: the mean over concepts of the best code, and
`own` of the concept's own codes; how the paper (Yang et al., CVPR 2021) put them together is not known. Mean and
standard error over seeds. `held out` are rows that were not trained on.

`spread` is how far codes may be from their labels, whose range is 2: 0.1 by default; the paper has 1, for labels in
units it does not state. An encoder that sees the labels can copy them, as CausalVAE's and ConditionVAE's do in the paper; `images alone`
are codes of an encoder that does not. The structural VAE is ours, and sees images alone. SHD counts the wrong edges
of the learned graph: from independencies of the labels, or from the paper's losses alone, starting from zero.
LadderVAE, the paper's fifth method, is not among our models yet.",
    parts: &[
        Part {
            name: "simulated",
            title: "Pendulum and Flow",
            optional: false,
            seeds: "vary.seed",
            file: include_str!("reproduce/causalvae.toml"),
            shown: Shown::Methods(Methods {
                data: &["pendulum", "flow"],
                concepts: None,
                methods: CAUSALVAE_METHODS,
                metrics: CAUSALVAE_NUMBERS,
            }),
        },
        faces("smile", "CelebA (SMILE)", include_str!("reproduce/causalvae-smile.toml")),
        faces("beard", "CelebA (BEARD)", include_str!("reproduce/causalvae-beard.toml")),
    ],
};

/// The same table for a set of attributes of faces, where those are on this machine.
const fn faces(concepts: &'static str, title: &'static str, file: &'static str) -> Part {
    let (methods, metrics) = (CAUSALVAE_METHODS, CAUSALVAE_NUMBERS);
    let shown = Methods { data: &["celeba"], concepts: Some(concepts), methods, metrics };
    let shown = Shown::Methods(shown);
    Part { name: concepts, title, optional: true, seeds: "vary.seed", file, shown }
}

const CAUSALVAE_METHODS: &[(&str, Option<&str>)] = &[
    ("CausalVAE", Some("causal-vae")),
    ("CausalVAE, spread 1", None),
    ("CausalVAE, images alone", None),
    ("CausalVAE, graph from zero", None),
    ("ConditionVAE", Some("condition-vae")),
    ("beta-VAE", Some("beta-vae")),
    ("CausalVAE-unsup", Some("causal-vae-unsup")),
    ("Structural VAE", None),
];

const CAUSALVAE_NUMBERS: &[Number] = &[
    Number { title: "MIC", number: "mic", published: "mic", times: 100.0 },
    Number { title: "TIC", number: "tic", published: "tic", times: 100.0 },
    Number { title: "own MIC", number: "mic of own codes", published: "", times: 100.0 },
    Number { title: "own TIC", number: "tic of own codes", published: "", times: 100.0 },
    Number { title: "MIC held out", number: "mic (held out)", published: "", times: 100.0 },
    Number { title: "TIC held out", number: "tic (held out)", published: "", times: 100.0 },
    Number { title: "SHD", number: "shd", published: "", times: 1.0 },
    Number { title: "seconds", number: "seconds", published: "", times: 1.0 },
];

/// A number of a table with three digits, or a dash.
fn short(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| match number.abs() {
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.3}"),
    })
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
                for (quick, seeds) in [(false, None), (true, None), (true, Some(7))] {
                    let directory = tempfile::tempdir().unwrap();
                    let place = directory.path().join(part.name);
                    let budget = Budget { quick, seeds };
                    let study = part.study(&place, budget).unwrap();
                    assert!(!study.runs.is_empty(), "{} {}", experiment.name, part.name);
                    let last = study.runs.iter().any(|run| run.name.ends_with("seed-6"));
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
}
