//! The figures of a run, a file each. To add one, write its file with a `FIGURE` and add it to
//! [`FIGURES`]: the run directory, the model card, the report and `unbraid traverse` follow.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use image::RgbImage;
use ndarray::Array2;
use serde_json::{Map, Value as Json};
use unbraid_measure::data::{Dataset, Shape};
use unbraid_measure::representation::Representation;

use crate::draw::animation;
use crate::draw::figure::Figure;
use crate::draw::picture::{self, Sheet, tile};
use crate::error::{Error, Result};
use crate::intervene::Concept;
use crate::intervene::graph::Causes;
use crate::model::learner::Learner;
use traverse::Span;

pub mod acts;
pub mod columns;
pub mod confusion;
pub mod distribution;
pub mod factors;
pub mod graph;
pub mod interactions;
pub mod interventions;
pub mod layers;
pub mod map;
pub mod matching;
pub mod moves;
pub mod neighbours;
pub mod reconstructions;
pub mod rollout;
pub mod sets;
pub mod temporal;
pub mod time;
pub mod training;
pub mod traverse;
pub mod triplets;

/// Every figure, in the order in which they are drawn.
pub static FIGURES: &[Entry] = &[
    training::FIGURE,
    traverse::FIGURE,
    moves::FIGURE,
    reconstructions::FIGURE,
    columns::FIGURE,
    factors::FIGURE,
    matching::FIGURE,
    layers::FIGURE,
    map::FIGURE,
    distribution::FIGURE,
    time::FIGURE,
    neighbours::FIGURE,
    neighbours::PROFILES,
    graph::FIGURE,
    interventions::FIGURE,
];

/// A figure: its files, where it is shown, and how it is drawn.
#[derive(Debug)]
pub struct Entry {
    /// The names of its files, the main one first, each with what can be seen on it.
    pub files: &'static [(&'static str, &'static str)],
    /// The command that draws it.
    pub command: Command,
    /// Where on a page it stands.
    pub section: Section,
    /// How to read it.
    pub caption: &'static str,
    /// Whether these data and this method may have it: asked before anything is encoded.
    pub possible: fn(&Subject) -> bool,
    /// Draw its files, in their order. None where the run has nothing to show on it, and
    /// `Error::Unable` with the reason where a person would expect it.
    pub draw: fn(&Subject) -> Result<Vec<Drawing>>,
}

/// Who draws a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `unbraid train`
    Train,
    /// `unbraid traverse`
    Traverse,
    /// `unbraid graph`
    Graph,
    /// `unbraid intervene --grid`
    Intervene,
}

/// The parts of a page with figures, from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The causal graph.
    Graph,
    /// What interventions do.
    Interventions,
    /// What each latent does.
    Codes,
    /// Latents beside the factors they are matched to.
    Matching,
    /// Latents against factors.
    Factors,
    /// What codes look like by themselves.
    Alone,
    /// Reconstructions.
    Reconstructions,
    /// The training.
    Training,
}

/// What figures are drawn from. What takes long is made when a figure asks for it, once.
pub struct Subject<'a> {
    /// The model and the data, as titles name them.
    pub names: [&'a str; 2],
    /// Whether the data are a user's own files.
    pub own: bool,
    /// The seed of the run.
    pub seed: u64,
    /// The trained method.
    pub learner: &'a dyn Learner,
    /// What it was trained on.
    pub data: &'a dyn Dataset,
    /// What interventions are tried on: held-out data where the run names some.
    pub tested: &'a dyn Dataset,
    /// The rows of the training log.
    pub log: &'a [Map<String, Json>],
    /// The codes by which the run is scored.
    pub codes: Lazy<'a, Representation<'static>>,
    /// The learned graph.
    pub graph: Lazy<'a, Causes>,
    /// The concepts of the tested data.
    pub concepts: Lazy<'a, Vec<Concept>>,
    /// The row that is shown, where a figure is of one row; the middle one if none is named.
    pub row: Option<usize>,
    /// From where to where latents are walked.
    pub span: Span,
}

impl Subject<'_> {
    /// The title of a figure: the model, the data, and what can be seen.
    pub fn title(&self, what: &str) -> String {
        let [model, data] = self.names;
        format!("{model} on {data}: {what}")
    }

    fn has_images(&self) -> bool {
        !self.data.shape().is_vector()
    }

    /// Whether nobody else has prepared these data: no factor is known, or they are somebody's own files.
    fn is_own(&self) -> bool {
        self.own || self.data.factors().is_empty()
    }

    /// What each observed number is called: as its column, or by its place.
    fn names(&self) -> Vec<String> {
        let width = self.data.shape().size();
        let numbered = || (0..width).map(|k| format!("number {k}")).collect();
        self.data.about().names(width).unwrap_or_else(numbered)
    }
}

/// Something that is made when it is first asked for.
pub struct Lazy<'a, T> {
    make: &'a dyn Fn() -> Result<T>,
    made: OnceCell<T>,
}

impl<'a, T> Lazy<'a, T> {
    /// Nothing is made yet.
    pub fn new(make: &'a dyn Fn() -> Result<T>) -> Self {
        Self { make, made: OnceCell::new() }
    }

    /// It is there already.
    pub fn set(&mut self, made: T) {
        self.made = OnceCell::from(made);
    }

    /// What it is.
    pub fn get(&self) -> Result<&T> {
        if self.made.get().is_none() {
            let made = (self.make)()?;
            return Ok(self.made.get_or_init(|| made));
        }
        Ok(self.made.get().expect("it was made before"))
    }
}

/// What a figure is drawn as.
pub enum Drawing {
    /// Rows of pictures, written as PNG.
    Sheet(Sheet),
    /// Pictures one after the other, written as GIF.
    Frames(Vec<RgbImage>),
    /// Lines and letters, written as SVG with this title.
    Figure(Figure, String),
}

impl Drawing {
    /// Write it.
    pub fn save(self, path: &Path) -> Result<()> {
        match self {
            Self::Sheet(sheet) => picture::save(&sheet.draw(), path),
            Self::Frames(frames) => animation::save(frames, path),
            Self::Figure(figure, title) => figure.save(&title, path),
        }
    }
}

impl Entry {
    /// The name of its main file.
    pub fn name(&self) -> &'static str {
        self.files[0].0
    }

    /// Draw its files into a directory, the main one to `out` if that is given; returns their paths.
    pub fn save(
        &self,
        subject: &Subject,
        directory: &Path,
        out: Option<&Path>,
    ) -> Result<Vec<PathBuf>> {
        let mut made = Vec::new();
        for (k, drawing) in (self.draw)(subject)?.into_iter().enumerate() {
            let path = match out {
                Some(out) if k == 0 => out.to_path_buf(),
                _ => directory.join(self.files[k].0),
            };
            drawing.save(&path)?;
            made.push(path);
        }
        Ok(made)
    }
}

/// Rows of observations as pictures.
fn tiles(rows: &Array2<f32>, shape: Shape) -> Result<Vec<RgbImage>> {
    let tiles = rows.rows().into_iter().map(|row| tile(&row.to_vec(), shape));
    tiles.collect::<Option<Vec<_>>>().ok_or_else(|| no_image(shape))
}

/// Why nothing can be decoded.
fn no_decoder() -> Error {
    Error::Unable("this model has no decoder, so there is nothing to look at".into())
}

/// Why these data have no pictures.
fn no_image(shape: Shape) -> Error {
    Error::Unable(format!("a traversal is drawn from images; these data are {shape}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_figures_are_written_to_one_file_and_each_says_how_to_read_it() {
        let names: Vec<&str> =
            FIGURES.iter().flat_map(|figure| figure.files).map(|(name, _)| *name).collect();
        for (k, name) in names.iter().enumerate() {
            assert!(!names[..k].contains(name), "{name}");
        }
        let read = |figure: &Entry| !figure.caption.is_empty() && figure.caption.ends_with('.');
        assert!(FIGURES.iter().all(read));
    }

    #[test]
    fn what_is_lazy_is_made_once() {
        let count = std::cell::Cell::new(0);
        let make = || {
            count.set(count.get() + 1);
            Ok(7)
        };
        let lazy = Lazy::new(&make);
        assert_eq!((*lazy.get().unwrap(), *lazy.get().unwrap(), count.get()), (7, 7, 1));
        let mut there = Lazy::new(&make);
        there.set(3);
        assert_eq!((*there.get().unwrap(), count.get()), (3, 1));
    }
}
