//! `unbraid reproduce`: run a published experiment again, and show ours beside what is published.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use unbraid::figures::matching;
use unbraid::representation::Representation;
use unbraid::run::Run;
use unbraid::study::reproduce::{self, Budget, EXPERIMENTS, Experiment, Part, Shown};
use unbraid::study::{Cell, Gathered, Line, Study};
use unbraid_measure::files;

use super::args::Reproduce;
use super::{Output, study, table};

pub(super) fn run(options: &Reproduce, output: Output) -> Result<ExitCode> {
    let Some(name) = &options.name else {
        list(output)?;
        return Ok(ExitCode::SUCCESS);
    };
    let experiment = reproduce::find(name)?;
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(experiment.name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.map_or(cores, usize::from);
    let budget = Budget { quick: options.quick, seeds: options.seeds };
    // All are planned before the first is begun: a mistake shows at once.
    let mut studies = Vec::new();
    for part in experiment.parts {
        match part.study(&out.join(part.name), budget) {
            Ok(study) => studies.push((part, study)),
            Err(source) if part.optional => {
                output.note(&format!("{} is left out: {source}", part.title));
            }
            Err(source) => return Err(source.into()),
        }
    }
    if studies.is_empty() {
        bail!("none of the data of `{name}` are on this machine; see the notes above");
    }
    for (part, study) in &studies {
        output.note(part.title);
        if let Some(stopped) = study::work_on(study, jobs, output)? {
            return Ok(stopped);
        }
    }
    show(experiment, &studies, &out, options.quick, output)?;
    Ok(ExitCode::SUCCESS)
}

fn list(output: Output) -> Result<()> {
    let row = |e: &Experiment| vec![e.name.to_string(), e.summary.to_string()];
    let rows: Vec<Vec<String>> = EXPERIMENTS.iter().map(row).collect();
    output.result(&table(&rows), || {
        let one = |e: &Experiment| json!({"name": e.name, "summary": e.summary});
        json!({"format": 1, "experiments": EXPERIMENTS.iter().map(one).collect::<Vec<_>>()})
    })
}

fn show(
    experiment: &Experiment,
    studies: &[(&Part, Study)],
    out: &Path,
    quick: bool,
    output: Output,
) -> Result<()> {
    let mut text = format!("# unbraid reproduce {}\n\n{}\n", experiment.name, experiment.reading);
    if quick {
        let _ = write!(
            text,
            "\nThis is the quick run, with less than is said above: {}.\n",
            experiment.quick
        );
    }
    let mut rows: Vec<Json> = Vec::new();
    for (part, study) in studies {
        let gathered = study.gather()?;
        gathered.write_csv(&study.table_file())?;
        let _ = write!(text, "\n## {}\n\n{}", part.title, part.markdown(&gathered));
        for (title, name) in pictures(part, study, &gathered, out)? {
            let _ = write!(text, "\n![{title}]({name})\n");
        }
        rows.extend(gathered.lines.iter().flat_map(|line| numbers(part, line)));
    }
    let path = out.join("report.md");
    files::write(&path, text.as_bytes())?;
    output.result(&text, || json!({"format": 1, "table": experiment.name, "rows": rows}))?;
    output.note(&format!("written: {}; the runs are beside it", path.display()));
    Ok(())
}

/// Every number of a row with its standard error, and what is published of it as a number.
fn numbers(part: &Part, line: &Line) -> Vec<Json> {
    let number = |(column, cell): (&String, &Cell)| {
        let error = cell.deviation() / (cell.values.len() as f64).sqrt();
        let published = match &part.shown {
            Shown::Methods(methods) => {
                methods.beside(line, column).map(|found| (found.value, Some(found.error)))
            }
            Shown::Depths(depths) => depths.beside(line, column).map(|value| (value, None)),
            _ => None,
        };
        json!({
            "part": part.name, "row": line.row, "column": column,
            "ours": cell.mean(), "ours_se": error, "published": published.map(|found| found.0),
            "published_se": published.and_then(|found| found.1),
        })
    };
    line.cells.iter().map(number).collect()
}

/// Draw a part: its curves, or the matchings of its first data set. Titles and file names.
fn pictures(
    part: &Part,
    study: &Study,
    gathered: &Gathered,
    out: &Path,
) -> Result<Vec<(String, String)>> {
    let mut made = Vec::new();
    match &part.shown {
        Shown::Methods(_) | Shown::Depths(_) => {}
        Shown::Curves(curves) => {
            let (title, name) = (part.title.to_string(), format!("{}.svg", part.name));
            curves.draw(gathered, &title).save(&title, &out.join(&name))?;
            made.push((title, name));
        }
        Shown::Seeds(seeds) => {
            for row in seeds.drawn {
                let first = study.runs.iter().find(|run| run.family == *row);
                let Some(first) = first else { continue };
                let run = Run::open(study.directory_of(first))?;
                let codes = Representation::load(run.representation_file())?;
                let title = format!("{row}, first data set: each source against its code");
                let name = format!("{}-{}.svg", part.name, row.to_lowercase());
                matching::draw(&codes, &title)?.save(&title, &out.join(&name))?;
                made.push((title, name));
            }
        }
    }
    Ok(made)
}
