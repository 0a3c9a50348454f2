//! Reconstructions: observations above, what is left of them after encoding and decoding below.

use ndarray::{Array2, Zip};
use unbraid_measure::data;
use unbraid_measure::rng::Rng;

use super::{Command, Drawing, Entry, Section, Subject, no_decoder, tiles};
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::model::batch::Seen;

/// How many observations are shown.
const SHOWN: usize = 10;

/// Observations above their reconstructions.
pub const FIGURE: Entry = Entry {
    files: &[("reconstructions.png", "observations above, decoded codes below")],
    command: Command::Traverse,
    section: Section::Reconstructions,
    caption: "Observations above, what is decoded from their codes below. What is missing there is in no \
              code.",
    possible: |subject| subject.has_images(),
    draw: |subject| Ok(vec![Drawing::Sheet(sheet(subject)?)]),
};

/// Some rows, drawn at random, above their reconstructions, with the mean squared error of a pixel.
fn sheet(subject: &Subject) -> Result<Sheet> {
    let &Subject { learner, data, seed, .. } = subject;
    let rows = data::rows(data, SHOWN, &Rng::new(seed).split("reconstructions"));
    let seen = Seen::of(data, &rows);
    let decoded = learner.decode(learner.encode(&seen).view()).ok_or_else(no_decoder)?;
    let observed = seen.observations;
    let tiles = |rows: &Array2<f32>| tiles(rows, data.shape());
    let errors = squared_errors(&observed, &decoded);
    let mean = errors.iter().sum::<f32>() / errors.len() as f32;
    let strips = vec![
        Strip { label: "observed".into(), tiles: tiles(&observed)?, ..Strip::default() },
        Strip {
            label: "reconstructed".into(),
            remark: format!("squared error {mean:.4}"),
            tiles: tiles(&decoded)?,
            faded: false,
        },
    ];
    let title = subject.title("what is left of an observation; numbers are squared errors");
    let columns = errors.into_iter().map(|error| format!("{error:.4}")).collect();
    Ok(Sheet { title, columns, strips })
}

/// The mean squared error of the numbers of each row.
fn squared_errors(observed: &Array2<f32>, decoded: &Array2<f32>) -> Vec<f32> {
    let squares = Zip::from(observed).and(decoded).map_collect(|a, b| (a - b) * (a - b));
    squares.rows().into_iter().map(|row| row.mean().unwrap_or(0.0)).collect()
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
    }
}
