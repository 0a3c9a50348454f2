//! Traversals: walk one code while the others stay, and look at what changes.

use image::RgbImage;
use ndarray::{Array2, Axis};
use unbraid_measure::data::{Dataset, Shape};
use unbraid_measure::representation::Representation;
use unbraid_measure::stats::correlation;

use crate::encode;
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::picture::{Sheet, Strip, tile};

/// How many pictures a walk has.
const COLUMNS: usize = 9;
/// A code whose spread is below this is taken as unused: it says nothing about the observation.
const UNUSED: f32 = 0.05;
/// How many codes a sheet shows at most; raw pixels have thousands.
const MOST: usize = 20;

/// One walk: a code from its low to its high end.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Which code.
    pub latent: usize,
    /// The standard deviation of the code over the rows: how much it is used.
    pub spread: f32,
    /// The factor it follows most closely, with the Spearman correlation.
    pub follows: Option<(String, f64)>,
    /// The values it is set to.
    pub values: Vec<f32>,
    /// What is decoded at each, `[values, numbers]`.
    pub frames: Array2<f32>,
}

/// Walk every code of row `base` between the 2.5 % and the 97.5 % quantile it takes over all rows,
/// most used first.
pub fn walks(learner: &dyn Learner, codes: &Representation, base: usize) -> Result<Vec<Walk>> {
    let followed = correlation::spearman(codes.codes.view(), codes.values.view());
    let mut order: Vec<(usize, f32)> =
        (codes.codes.std_axis(Axis(0), 0.0).into_iter().enumerate()).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.truncate(MOST);
    let walk = |(latent, spread): (usize, f32)| {
        let values = between_quantiles(codes.codes.column(latent).to_vec());
        let mut set = codes.codes.select(Axis(0), &vec![base; values.len()]);
        set.column_mut(latent).assign(&ndarray::ArrayView1::from(&values));
        let frames = learner.decode(set.view()).ok_or_else(|| {
            Error::Unable("this model has no decoder, so there is nothing to look at".into())
        })?;
        let names = codes.factors.iter().map(|factor| factor.name.clone());
        let follows = names
            .zip(followed.row(latent))
            .map(|(name, correlation)| (name, *correlation))
            .filter(|(_, correlation)| correlation.is_finite())
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Ok(Walk { latent, spread, follows, values, frames })
    };
    order.into_iter().map(walk).collect()
}

/// The walks as a picture: a row a code, labelled with the factor it moves.
pub fn sheet(walks: &[Walk], shape: Shape, title: String) -> Result<Sheet> {
    let strip = |walk: &Walk| {
        let tiles = walk.frames.rows().into_iter().map(|frame| tile(&frame.to_vec(), shape));
        let tiles: Option<Vec<RgbImage>> = tiles.collect();
        let tiles = tiles.ok_or_else(|| {
            Error::Unable(format!("a traversal is drawn from images; these data are {shape}"))
        })?;
        let faded = walk.spread < UNUSED;
        let remark = match &walk.follows {
            _ if faded => "unused".into(),
            Some((name, correlation)) => format!("{name} {correlation:+.2}"),
            None => String::new(),
        };
        let label = format!("z{}   sd {:.2}", walk.latent, walk.spread);
        Ok(Strip { label, remark, faded, tiles })
    };
    let strips = walks.iter().map(strip).collect::<Result<_>>()?;
    Ok(Sheet { title, columns: vec![], strips })
}

/// A small traversal for watching a training, or nothing where there is nothing to see.
pub fn thumbnail(learner: &dyn Learner, data: &dyn Dataset) -> Option<RgbImage> {
    let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(256)).collect();
    let codes = encode::encode(learner, data, &rows).ok()?;
    let walks = walks(learner, &codes, rows.len() / 2).ok()?;
    Some(sheet(&walks, data.shape(), String::new()).ok()?.draw())
}

fn between_quantiles(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    let (low, high) = (at(0.025), at(0.975));
    (0..COLUMNS).map(|i| low + (high - low) * i as f32 / (COLUMNS - 1) as f32).collect()
}
