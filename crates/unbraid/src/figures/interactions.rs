//! Where must an action be to touch a factor: what a model has learned of it beside the truth. For actions of
//! two numbers from −1 to 1, a place.

use image::{Rgb, RgbImage};
use ndarray::Array2;
use unbraid_measure::data::Dataset;
use unbraid_measure::stats::interactions::Told;

use crate::draw::picture::{Sheet, Strip};
use crate::model::learner::Learner;

/// The file of a run.
pub const FILE: &str = "interactions.png";
/// Places along a side of a map.
const SIDE: usize = 64;
const TOUCHED: [f32; 3] = [196.0, 78.0, 82.0];
const ALONE: [f32; 3] = [226.0, 230.0, 236.0];

/// A factor and the latent that tells best of it.
pub struct Map {
    /// The number of the factor.
    pub factor: usize,
    /// The latent, and how well it tells.
    pub told: Told,
}

/// A column per factor: learned above, true below. None where actions are no places.
pub fn sheet(
    [model, data_name]: [&str; 2],
    learner: &dyn Learner,
    data: &dyn Dataset,
    maps: &[Map],
) -> Option<Sheet> {
    let width = (0..data.len()).find_map(|row| data.next(row))?.action.len();
    if width != 2 {
        return None;
    }
    let at = |k: usize| 2.0 * (k as f32 + 0.5) / SIDE as f32 - 1.0;
    // The second number points up.
    let places: Vec<[f32; 2]> = (0..SIDE * SIDE).map(|k| [at(k % SIDE), -at(k / SIDE)]).collect();
    let grid = Array2::from_shape_vec((places.len(), 2), places.concat()).ok()?;
    let logits = learner.interactions(grid.view())?;
    let learned = maps.iter().map(|map| {
        let sign = if map.told.flipped { -1.0 } else { 1.0 };
        drawn(|k| 1.0 / (1.0 + (-4.0 * sign * logits[[k, map.told.latent]]).exp()))
    });
    let mut strips =
        vec![Strip { label: "learned".into(), tiles: learned.collect(), ..Strip::default() }];
    if let Some(world) = data.world() {
        let touched: Option<Vec<Vec<bool>>> =
            places.iter().map(|place| world.touched(place)).collect();
        if let Some(touched) = touched {
            let one = |map: &Map| drawn(|k| f32::from(u8::from(touched[k][map.factor])));
            let tiles = maps.iter().map(one).collect();
            strips.push(Strip { label: "true".into(), tiles, ..Strip::default() });
        }
    }
    let columns = maps
        .iter()
        .map(|map| format!("{}, F1 {:.2}", data.factors()[map.factor].name, map.told.f1))
        .collect();
    let title = format!("{model} on {data_name}: where an action touches each factor");
    Some(Sheet { title, columns, strips })
}

/// A map of shares from 0 to 1.
fn drawn(share: impl Fn(usize) -> f32) -> RgbImage {
    RgbImage::from_fn(SIDE as u32, SIDE as u32, |x, y| {
        let share = share(y as usize * SIDE + x as usize);
        let blend = |k: usize| (ALONE[k] + (TOUCHED[k] - ALONE[k]) * share).round() as u8;
        Rgb([blend(0), blend(1), blend(2)])
    })
}
