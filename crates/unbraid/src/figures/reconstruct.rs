//! Reconstructions: observations above, what is left of them after encoding and decoding below.

use ndarray::{Array2, Zip};
use unbraid_measure::data::Dataset;
use unbraid_measure::rng::Rng;

use crate::draw::picture::{Sheet, Strip, tile};
use crate::error::Result;
use crate::evaluate::encode;
use crate::figures::traverse::{no_decoder, no_image};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// How many observations are shown.
const SHOWN: usize = 10;

/// Some rows, drawn at random, above their reconstructions, with the mean squared error of a pixel.
pub fn sheet(learner: &dyn Learner, data: &dyn Dataset, rng: &Rng, title: String) -> Result<Sheet> {
    let rows = encode::rows(data, SHOWN, rng);
    let seen = Seen::of(data, &rows);
    let decoded = learner.decode(learner.encode(&seen).view()).ok_or_else(no_decoder)?;
    let observed = seen.observations;
    let tiles = |rows: &Array2<f32>| {
        let tiles = rows.rows().into_iter().map(|row| tile(&row.to_vec(), data.shape()));
        tiles.collect::<Option<Vec<_>>>().ok_or_else(|| no_image(data.shape()))
    };
    let errors = squared_errors(&observed, &decoded);
    let mean = errors.iter().sum::<f32>() / errors.len() as f32;
    let strips = vec![
        Strip { label: "observed".into(), tiles: tiles(&observed)?, ..Strip::default() },
        Strip {
            label: "reconstructed".into(),
            remark: format!("squared error {}", short(mean)),
            tiles: tiles(&decoded)?,
            faded: false,
        },
    ];
    Ok(Sheet { title, columns: errors.into_iter().map(short).collect(), strips })
}

/// The mean squared error of the numbers of each row.
fn squared_errors(observed: &Array2<f32>, decoded: &Array2<f32>) -> Vec<f32> {
    let squares = Zip::from(observed).and(decoded).map_collect(|a, b| (a - b) * (a - b));
    squares.rows().into_iter().map(|row| row.mean().unwrap_or(0.0)).collect()
}

fn short(error: f32) -> String {
    format!("{error:.4}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_error_is_that_of_each_row() {
        let errors =
            squared_errors(&array![[1.0, 0.0], [0.5, 0.5]], &array![[1.0, 1.0], [0.5, 0.5]]);
        assert_eq!(errors, [0.5, 0.0]);
        assert_eq!(short(0.012_34), "0.0123");
    }
}
