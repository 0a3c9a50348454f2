//! A published experiment, run again: its studies worked on, and ours beside what is published.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use unbraid_measure::files;
use unbraid_measure::representation::Representation;
use unbraid_measure::watch::Watch;

use super::{Budget, Experiment, Part, Shown};
use crate::error::{Error, Result};
use crate::figures::matching;
use crate::run::Run;
use crate::run::files::REPRESENTATION;
use crate::study::{Cell, Ended, Gathered, Line, Orders, Study};

/// What came out of an experiment.
pub struct Results {
    /// Every table, ours beside what is published, in Markdown.
    pub text: String,
    /// Every number of the tables with its standard error, and what is published of it.
    pub rows: Vec<Json>,
    /// Where the text was written.
    pub path: PathBuf,
}

impl Experiment {
    /// Train and score what is not done, `jobs` runs at once, each by `program` (unbraid itself), and write
    /// the tables. Nothing if it was asked to stop.
    pub fn reproduce(
        &self,
        out: &Path,
        budget: Budget,
        (program, jobs): (&Path, usize),
        watch: &dyn Watch,
    ) -> Result<Option<Results>> {
        let studies = self.studies(out, budget, watch)?;
        for (part, study) in &studies {
            watch.note(part.title);
            if study.work(program, &Orders::of(jobs), watch)? == Ended::Stopped {
                return Ok(None);
            }
        }
        self.results(&studies, out, budget, watch)
    }

    /// All are planned before the first is begun: a mistake shows at once.
    fn studies(
        &self,
        out: &Path,
        budget: Budget,
        watch: &dyn Watch,
    ) -> Result<Vec<(&Part, Study)>> {
        let mut studies = Vec::new();
        let asked = |part: &&Part| budget.part.is_none_or(|only| only.name == part.name);
        for part in self.parts.iter().filter(asked) {
            match part.study(&out.join(part.name), budget) {
                Ok(study) => studies.push((part, study)),
                Err(source) if part.optional => {
                    watch.note(&format!("{} is left out: {source}", part.title));
                }
                Err(source) => return Err(source),
            }
        }
        match studies.is_empty() {
            true => Err(Error::Unable(format!(
                "none of the data of `{}` are on this machine; see the notes above",
                self.name
            ))),
            false => Ok(studies),
        }
    }

    fn results(
        &self,
        studies: &[(&Part, Study)],
        out: &Path,
        budget: Budget,
        watch: &dyn Watch,
    ) -> Result<Option<Results>> {
        let mut text = format!("# unbraid reproduce {}\n\n{}\n", self.name, self.reading);
        if budget.quick {
            let less = self.quick;
            let _ =
                write!(text, "\nThis is the quick run, with less than is said above: {less}.\n");
        }
        let mut rows: Vec<Json> = Vec::new();
        for (part, study) in studies {
            if watch.stopped() {
                return Ok(None);
            }
            let gathered = study.gather()?;
            gathered.write_csv(&study.table_file())?;
            let _ = write!(text, "\n## {}\n\n{}", part.title, part.markdown(&gathered));
            for (title, name) in pictures(part, study, &gathered, out)? {
                let _ = write!(text, "\n![{title}]({name})\n");
            }
            rows.extend(gathered.lines.iter().flat_map(|line| numbers(part, line)));
        }
        // That of a part must not replace that of all.
        let path = out.join(format!("{}.md", budget.part.map_or("report", |part| part.name)));
        files::write(&path, text.as_bytes())?;
        Ok(Some(Results { text, rows, path }))
    }
}

/// Every number of a row that the table shows with its standard error, and what is published of it as a number.
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
    let shown = |cell: &(&String, &Cell)| part.shown.shows(&line.family, cell.0);
    line.cells.iter().filter(shown).map(number).collect()
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
                let codes = Representation::load(run.file(REPRESENTATION))?;
                let title = format!("{row}, first data set: each source against its code");
                let name = format!("{}-{}.svg", part.name, row.to_lowercase());
                matching::draw(&codes, &title)?.save(&title, &out.join(&name))?;
                made.push((title, name));
            }
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::reproduce::find;

    #[test]
    fn only_numbers_of_the_table_are_given() {
        let experiment = find("causalvae-table1").unwrap();
        let cell = |name: &str| (name.to_string(), Cell { values: vec![0.5, 0.7] });
        let line = Line {
            row: "CausalVAE on pendulum".into(),
            family: "CausalVAE".into(),
            at: vec![("data.name".into(), toml::Value::String("pendulum".into()))],
            runs: (2, 2),
            cells: [cell("mic"), cell("kl/3"), cell("loss")].into(),
        };
        let rows = numbers(&experiment.parts[0], &line);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(
            (&rows[0]["column"], &rows[0]["row"]),
            (&"mic".into(), &"CausalVAE on pendulum".into())
        );
        assert!(rows[0]["published"].is_number());
    }
}
