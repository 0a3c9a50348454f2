//! The analyses of the study of Locatello et al. 2019, for any study with several methods and seeds.
//!
//! Each is a file that turns the models of a study into sentences, tables and pictures; [`ANALYSES`] is their list. The
//! scripts of the paper were never released: where its text leaves something open, the file says how we read it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};
use unbraid_measure::files;
use unbraid_measure::rng::Rng;
use unbraid_measure::tables::frame::Frame;
use unbraid_measure::watch::{Stage, Watch};

use super::Study;
use crate::draw::picture;
use crate::error::{Error, Result};

mod agreement;
mod by_choice;
mod conclusions;
mod correlation;
mod crossed;
mod distributions;
mod downstream;
mod efficiency;
mod finding;
mod gallery;
mod measures;
pub(crate) mod models;
mod page;
mod pictures;
mod published;
mod ranking;
mod seeds;
mod selection;
pub(crate) mod statistics;
mod strengths;
mod transfer;
mod unsupervised;
mod variance;

pub use conclusions::{Conclusion, Verdict};
pub use finding::{Cell, Drawn, Finding, Grid, Picture};
use models::Models;
pub use statistics::Estimate;

/// An analysis.
pub struct Analysis {
    /// Its number: "A5".
    pub id: &'static str,
    /// Its name.
    pub title: &'static str,
    /// What is computed, and how we read what the paper leaves open.
    pub about: &'static str,
    /// Nothing if the study has not what it needs.
    find: fn(&Subject) -> Option<Finding>,
}

/// Every analysis, in the order of the page.
pub static ANALYSES: [Analysis; 13] = [
    distributions::ANALYSIS,
    seeds::ANALYSIS,
    correlation::ANALYSIS,
    agreement::ANALYSIS,
    variance::ANALYSIS,
    unsupervised::ANALYSIS,
    strengths::ANALYSIS,
    transfer::ANALYSIS,
    selection::ANALYSIS,
    downstream::ANALYSIS,
    efficiency::ANALYSIS,
    gallery::ANALYSIS,
    ranking::ANALYSIS,
];

/// What is analysed.
struct Subject<'a> {
    models: &'a Models,
    /// Of a table alone there are no runs to open.
    study: Option<&'a Study>,
    rng: Rng,
    watch: &'a dyn Watch,
    /// Estimates that an analysis and a conclusion share, by name.
    known: Mutex<HashMap<String, Option<Estimate>>>,
}

impl Subject<'_> {
    /// An estimate that is computed once, however often it is asked for.
    fn once(&self, name: &str, find: impl FnOnce() -> Option<Estimate>) -> Option<Estimate> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(name).copied();
        known.unwrap_or_else(|| {
            let found = find();
            lock().insert(name.to_string(), found);
            found
        })
    }
}

/// What is to be analysed.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A study directory.
    pub study: Option<PathBuf>,
    /// Tables of results, in place of or beside those of the study.
    pub tables: Vec<PathBuf>,
    /// Where everything is written; `analysis/` of the study if left out.
    pub out: Option<PathBuf>,
}

/// Every analysis of a study.
pub struct Analyses {
    /// What was analysed, in words.
    pub of: String,
    /// How many models, and what they are.
    pub count: Count,
    /// The five conclusions of the paper, with our evidence.
    pub conclusions: Vec<Conclusion>,
    /// What each analysis found; nothing if the study has not what it needs.
    pub findings: Vec<(&'static Analysis, Option<Finding>)>,
    /// Where everything was written.
    pub directory: PathBuf,
}

/// How much there is.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Models.
    pub models: usize,
    /// The names of data sets and methods.
    pub data: Vec<String>,
    /// The names of methods.
    pub methods: Vec<String>,
    /// Strengths of the method with most of them.
    pub strengths: usize,
    /// Fewest and most seeds of a method with a strength on a data set.
    pub seeds: [usize; 2],
}

/// Analyse a study or tables, and write everything: a page, and each table and picture as a file.
pub fn analyse(request: &Request, watch: &dyn Watch) -> Result<Analyses> {
    let study = request.study.as_deref().map(Study::open).transpose()?;
    let mut tables = Vec::new();
    for path in &request.tables {
        tables.push(Frame::read(path)?);
    }
    if let Some(study) = study.as_ref().filter(|_| tables.is_empty()) {
        tables.push(study.results()?);
    }
    let directory = match (&request.out, &request.study) {
        (Some(out), _) => out.clone(),
        (None, Some(study)) => study.join("analysis"),
        (None, None) => {
            let reason = "say with --out where the analysis of a table is to be written";
            return Err(Error::Unable(reason.into()));
        }
    };
    let models = Models::of(&tables)?;
    check(&models)?;
    let named = request.study.iter().chain(&request.tables).next();
    let of = named.and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy().into();
    let rng = Rng::new(0).split("analyse");
    let subject =
        Subject { models: &models, study: study.as_ref(), rng, watch, known: Mutex::default() };
    let stage = Stage::new(watch, "analysing");
    let mut findings = Vec::new();
    for analysis in &ANALYSES {
        findings.push((analysis, (analysis.find)(&subject)));
        stage.advance(1.0 / ANALYSES.len() as f64)?;
    }
    let conclusions = conclusions::draw(&subject);
    let found = Analyses { of, count: count(&models), conclusions, findings, directory };
    found.write()?;
    Ok(found)
}

/// Refuse what no analysis can use.
fn check(models: &Models) -> Result<()> {
    let unable = |reason: &str| Err(Error::Unable(reason.into()));
    match () {
        () if models.all.is_empty() => unable("no run is done yet, so there is nothing to analyse"),
        () if models.scores().is_empty() => unable(
            "no score of mean codes that needs labels is in the table; name some in `score.metrics`, such as mig and dci",
        ),
        () if models.choices() < 2 => {
            unable("all runs have one method with one strength; analyses compare several of them")
        }
        () => Ok(()),
    }
}

fn count(models: &Models) -> Count {
    let seeds = (0..models.data.len()).map(|data| models.seeds_on(data));
    let seeds = seeds.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or_default();
    Count {
        models: models.all.len(),
        data: models.data.clone(),
        methods: models.methods.clone(),
        strengths: models.strengths.iter().map(Vec::len).max().unwrap_or(0),
        seeds,
    }
}

impl Analyses {
    /// The page.
    pub fn page(&self) -> PathBuf {
        self.directory.join("index.html")
    }

    fn write(&self) -> Result<()> {
        files::create_directory(self.directory.clone())?;
        let path = |name: &str, ending: &str| self.directory.join(format!("{name}.{ending}"));
        for finding in self.findings.iter().filter_map(|(_, finding)| finding.as_ref()) {
            for grid in &finding.grids {
                grid.frame().write_csv(&path(&grid.name, "csv"))?;
            }
            for one in &finding.pictures {
                match &one.drawn {
                    Drawn::Marks(figure) => figure.save(&one.caption, &path(&one.name, "svg"))?,
                    Drawn::Pixels(picture) => picture::save(picture, &path(&one.name, "png"))?,
                }
            }
        }
        let document = format!("{:#}\n", self.to_json());
        files::write(self.directory.join("analysis.json"), document.as_bytes())?;
        Ok(files::write(self.page(), page::page(self)?.as_bytes())?)
    }

    /// Everything as one document.
    pub fn to_json(&self) -> Json {
        let Count { models, data, methods, strengths, seeds } = &self.count;
        let finding = |(analysis, found): &(&'static Analysis, Option<Finding>)| {
            json!({
                "id": analysis.id,
                "title": analysis.title,
                "said": found.as_ref().map(|found| &found.said),
                "tables": found.as_ref().map(|found| found.grids.iter().map(Grid::to_json).collect::<Vec<_>>()),
            })
        };
        json!({
            "format": 1,
            "of": self.of,
            "models": models,
            "data": data,
            "methods": methods,
            "strengths": strengths,
            "seeds": seeds,
            "conclusions": self.conclusions.iter().map(Conclusion::to_json).collect::<Vec<_>>(),
            "analyses": self.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    }
}

/// Names of files hold letters, digits and hyphens.
fn file_name(words: &[&str]) -> String {
    let joined = words.join("-").to_lowercase();
    let letter = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let text: String = joined.chars().map(letter).collect();
    text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The names of measures.
fn titles(measures: &[measures::Measure]) -> Vec<String> {
    measures.iter().map(|measure| measure.title.clone()).collect()
}

#[cfg(test)]
mod tests;
