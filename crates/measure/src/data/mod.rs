//! Data sets: what is observed and what is true.
//!
//! A data set is random access and pure: the same index gives the same answer, always. To add one,
//! write its file with a `SOURCE` and add it to [`DATASETS`]; training, `unbraid data`, the docs and
//! the contract tests follow.

use ndarray::{Array2, ArrayViewMut1, Axis};
use rayon::prelude::*;
use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::graph::Graph;
use crate::info::{self, Info};
use crate::npz::NpzWriter;
use crate::rng::Rng;

pub mod about;
pub mod drawing;
mod paired;
pub mod sets;
mod simulation;
pub mod storage;
pub mod supervision;
#[cfg(test)]
mod testing;
pub mod variant;
pub mod world;

pub use about::{About, Channel, Role, Scaling};
pub use paired::undone;
pub use storage::stored::Steps;
pub use supervision::{Draw, OneFactor, PairRule, Pairs, Sampler, SomeLabels, Supervision, Window};
pub use world::{Done, Triplet, World};

/// Every data set, in the order of the docs.
pub static DATASETS: &[Source] = &[
    sets::squares::SOURCE,
    sets::dsprites::SOURCE,
    sets::color_dsprites::SOURCE,
    sets::noisy_dsprites::SOURCE,
    sets::scream_dsprites::SOURCE,
    sets::abstract_dsprites::SOURCE,
    sets::shapes3d::SOURCE,
    sets::cars3d::SOURCE,
    sets::sprites::SOURCE,
    sets::smallnorb::SOURCE,
    sets::mpi3d::TOY,
    sets::mpi3d::REALISTIC,
    sets::mpi3d::REAL,
    sets::mpi3d::COMPLEX,
    sets::xy_object::SOURCE,
    sets::xy_squares::SOURCE,
    sets::pendulum::SOURCE,
    sets::flow::SOURCE,
    sets::mixing::SOURCE,
    sets::pong::SOURCE,
    sets::ball_in_boxes::SOURCE,
    sets::voronoi::SOURCE,
    sets::citris::SOURCE,
    sets::mnist::SOURCE,
    sets::fashion_mnist::SOURCE,
    sets::binarized_mnist::SOURCE,
    sets::omniglot::SOURCE,
    sets::celeba::SOURCE,
    sets::arrays::SOURCE,
    sets::images::SOURCE,
    sets::table::SOURCE,
];

/// A registry entry: how to open a data set from its settings.
pub struct Source {
    /// What it is.
    pub info: Info,
    /// Open with the settings of `[data]` (without `name`); also returns them with every default
    /// spelled out.
    pub open: fn(&Table) -> Result<Opened>,
    /// The files it was published as, where it can be read from them.
    pub publication: Option<&'static storage::library::Publication>,
}

/// An open data set, with the settings it was opened with.
pub type Opened = (Box<dyn Dataset>, Table);

/// Find a data set by name.
pub fn find(name: &str) -> Result<&'static Source> {
    info::find("data set", "data", DATASETS.iter().map(|s| (s.info.name, s)), name)
}

/// Open a data set by name with the settings of `[data]` (without `name`), among them `variant`, the
/// section `[data.variant]` that asks for a [`variant`] of it. Also returns the settings with every
/// default spelled out.
pub fn open(name: &str, given: &Table) -> Result<Opened> {
    let source = find(name)?;
    let mut given = given.clone();
    let asked = match given.remove("variant") {
        None => return (source.open)(&given),
        Some(Value::Table(asked)) => asked,
        Some(_) => {
            return Err(Error::setting("data.variant", "must be a section: [data.variant]"));
        }
    };
    let (base, mut settings) = (source.open)(&given)?;
    let (data, asked) = variant::of(base, &asked)?;
    settings.insert("variant".into(), Value::Table(asked));
    Ok((data, settings))
}

/// What one look through a large file tells of it, without holding any of it.
pub struct Glance {
    /// How many rows the file has.
    pub rows: usize,
    /// The form of an observation.
    pub shape: Shape,
    /// Its columns.
    pub about: About,
    /// Whether it has labels.
    pub labels: bool,
    /// Whether its rows follow each other.
    pub sequences: bool,
}

/// A look through a file that is too large to be opened only to say what is in it; nothing for all others.
pub fn glance(name: &str, given: &Table) -> Result<Option<Glance>> {
    let large = || {
        let path = given.get("path").and_then(Value::as_str)?;
        std::fs::metadata(path).ok().filter(|file| file.len() > LARGE)
    };
    match name == sets::table::SOURCE.info.name && !given.contains_key("variant") {
        true if large().is_some() => sets::table::glance(given).map(Some),
        _ => Ok(None),
    }
}

/// Files of more bytes are looked at before they are opened.
const LARGE: u64 = 1 << 27;

/// The form of one observation: an image, or a vector of `channels` numbers as one pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// 1 for grey, 3 for colour, 4 with transparency.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// What the numbers can be.
    pub range: Range,
}

/// What the numbers of an observation can be; picks the likelihood of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// 0 or 1.
    Binary,
    /// Anything from 0 to 1.
    Unit,
    /// Anything.
    Real,
}

impl Shape {
    /// How many numbers one observation has.
    pub fn size(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// Channels, height and width.
    pub fn axes(&self) -> [usize; 3] {
        [self.channels, self.height, self.width]
    }

    /// Whether it is a plain vector.
    pub fn is_vector(&self) -> bool {
        self.height == 1 && self.width == 1
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.is_vector() {
            true => write!(f, "{} numbers", self.channels),
            false => write!(f, "{}x{}x{}", self.channels, self.height, self.width),
        }
    }
}

/// One step of time: where it leads and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The row it leads to.
    pub index: usize,
    /// Per factor, 1 where it was intervened on.
    pub targets: Vec<f32>,
    /// What was done, as numbers; empty where nothing is known of it.
    pub action: Vec<f32>,
}

/// An intervention: the factor in this column is set to this value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Do {
    /// The column of the factor.
    pub factor: usize,
    /// Its new value, in the units of the data.
    pub value: f32,
}

impl Do {
    /// What each of N factors is set to, the last one counting; `None` if there is no such factor.
    fn by_factor<const N: usize>(dos: &[Self]) -> Option<[Option<f32>; N]> {
        let mut set = [None; N];
        for &Self { factor, value } in dos {
            *set.get_mut(factor)? = Some(value);
        }
        Some(set)
    }
}

/// What one row would have been under an intervention, by the true mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterfactual {
    /// The values of all factors after the intervention.
    pub values: Vec<f32>,
    /// What would have been observed, channel by channel.
    pub observation: Vec<f32>,
}

/// Observations with their true factors.
pub trait Dataset: Send + Sync {
    /// The factors, in the order of the columns of `values`. Empty if nothing is known.
    fn factors(&self) -> &[Factor];

    /// The form of an observation.
    fn shape(&self) -> Shape;

    /// How many rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Write the observation of a row into `out`: channel by channel, row by row.
    fn observe(&self, index: usize, out: &mut [f32]);

    /// Write the true value of each factor into `out`.
    fn values(&self, index: usize, out: &mut [f32]);

    // Capabilities. `None` means that this data set cannot offer the supervision that needs it.

    /// What a learner with labels may see: concept labels, a segment, an environment.
    fn label(&self, _index: usize) -> Option<Vec<f32>> {
        None
    }

    /// The row with these values, where every combination exists: partners that share factors.
    fn find(&self, _values: &[f32]) -> Option<usize> {
        None
    }

    /// The row like this one but for the value of one factor. What is hidden stays as it is, so a data
    /// set may know this row even where values alone do not name one.
    fn with_value(&self, index: usize, factor: usize, value: f32) -> Option<usize> {
        let mut values = vec![0.0; self.factors().len()];
        self.values(index, &mut values);
        values[factor] = value;
        self.find(&values)
    }

    /// What follows this row in time.
    fn next(&self, _index: usize) -> Option<Transition> {
        None
    }

    /// The names of what can be done in a step, in the order of the numbers of [`Transition::action`];
    /// empty where actions have no names. Where rows come as pairs, row 2k before an action and row
    /// 2k + 1 after it, they have names always.
    fn actions(&self) -> &[String] {
        &[]
    }

    /// Which factors of a row cause which of the row that follows it, `[cause, effect]`.
    fn temporal_graph(&self) -> Option<&Array2<bool>> {
        None
    }

    /// Triplet number `number`, where rows come in threes: two rows, and the one that takes some of its
    /// factors from the first and some from the second.
    fn triplet(&self, _number: usize) -> Option<Triplet> {
        None
    }

    /// The system behind the rows, where it can be drawn in any state and run on from it.
    fn world(&self) -> Option<&dyn World> {
        None
    }

    /// The true causal graph over the factors.
    fn graph(&self) -> Option<&Graph> {
        None
    }

    /// What row `index` would have been under these interventions: same exogenous values, `do` on
    /// the true mechanism.
    fn counterfactual(&self, _index: usize, _dos: &[Do]) -> Option<Counterfactual> {
        None
    }

    /// What became of the files behind the data: columns, scales, what was left out.
    fn about(&self) -> &About {
        &about::NOTHING
    }

    /// How many rows have factors whose values are not known. Such rows can be learned from, but not be
    /// measured against; their unknown values are no numbers, and they have no label of these.
    fn unlabelled(&self) -> usize {
        0
    }

    /// Whether the values of this row are known.
    fn is_labelled(&self, _index: usize) -> bool {
        true
    }

    /// Write these rows as the arrays in which such data are published, where our own form could
    /// not hold all of them; and say whether there is such a form.
    fn write_published(&self, _rows: &[usize], _file: &mut NpzWriter) -> Result<bool> {
        Ok(false)
    }
}

/// Every row in order if there are at most `count`, else a seeded sample of them, in order.
pub fn rows(data: &dyn Dataset, count: usize, rng: &Rng) -> Vec<usize> {
    if data.len() <= count {
        return (0..data.len()).collect();
    }
    let mut rows = rng.split("rows").distinct(count, data.len());
    rows.sort_unstable();
    rows
}

/// The same among the rows whose values are known: what can be measured against.
pub fn labelled_rows(data: &dyn Dataset, count: usize, rng: &Rng) -> Vec<usize> {
    if data.unlabelled() == 0 {
        return rows(data, count, rng);
    }
    let known: Vec<usize> = (0..data.len()).filter(|row| data.is_labelled(*row)).collect();
    if known.len() <= count {
        return known;
    }
    let mut chosen = rng.split("rows").distinct(count, known.len());
    chosen.sort_unstable();
    chosen.into_iter().map(|place| known[place]).collect()
}

/// The label of the first row that has one: all have the same form.
pub fn first_label(data: &dyn Dataset) -> Option<Vec<f32>> {
    // Where every row has its values, the first has a label if any has one.
    let looked_at = if data.unlabelled() == 0 { data.len().min(1) } else { data.len() };
    (0..looked_at).find_map(|row| data.label(row))
}

/// The observations of these rows in the units of the file they come from, `[rows, numbers]`.
pub fn observations_in_units(data: &dyn Dataset, rows: &[usize]) -> Array2<f32> {
    in_units(data, observations(data, rows))
}

/// Rows of observations, or what is decoded to look like them, in the units of the file.
pub fn in_units(data: &dyn Dataset, mut rows: Array2<f32>) -> Array2<f32> {
    if let Some(scaling) = &data.about().scaling {
        // Row by row: an array may lie in memory otherwise.
        for mut row in rows.rows_mut() {
            let mut numbers = row.to_vec();
            scaling.undo(&mut numbers);
            row.assign(&ndarray::ArrayView1::from(&numbers));
        }
    }
    rows
}

/// The observations of these rows, `[rows, numbers]`.
pub fn observations(data: &dyn Dataset, rows: &[usize]) -> Array2<f32> {
    table(rows, data.shape().size(), |index, out| data.observe(index, out))
}

/// The true values of these rows, `[rows, factors]`.
pub fn values(data: &dyn Dataset, rows: &[usize]) -> Array2<f32> {
    table(rows, data.factors().len(), |index, out| data.values(index, out))
}

/// The labels of these rows, `[rows, label]`, where the data set has any.
pub fn labels(data: &dyn Dataset, rows: &[usize]) -> Option<Array2<f32>> {
    let labels: Vec<Vec<f32>> =
        rows.par_iter().map(|&index| data.label(index)).collect::<Option<_>>()?;
    let width = labels.first()?.len();
    Array2::from_shape_vec((rows.len(), width), labels.concat()).ok()
}

fn table(rows: &[usize], width: usize, fill: impl Fn(usize, &mut [f32]) + Sync) -> Array2<f32> {
    let mut out = Array2::zeros((rows.len(), width));
    let fill_row = |(mut row, &index): (ArrayViewMut1<f32>, &usize)| {
        fill(index, row.as_slice_mut().expect("a fresh array has contiguous rows"));
    };
    out.axis_iter_mut(Axis(0)).into_par_iter().zip(rows).for_each(fill_row);
    out
}

/// The column of a factor by its name.
pub fn factor_index(data: &dyn Dataset, name: &str) -> Result<usize> {
    let names = || data.factors().iter().map(|factor| factor.name.as_str());
    names().position(|factor| factor == name).ok_or_else(|| {
        let hint = info::did_you_mean(name, names());
        let known = names().collect::<Vec<_>>().join(", ");
        Error::Missing(format!("unknown factor `{name}`{hint} (known: {known})"))
    })
}
