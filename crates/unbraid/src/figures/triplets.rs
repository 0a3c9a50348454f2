//! Triplets in pictures: two images, their mixture by the model, and the true one.

use ndarray::Array2;
use unbraid_measure::data::{Dataset, Triplet};

use super::tiles;
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::intervene::triplets::rows_of;

/// The file of a run.
pub const FILE: &str = "triplets.png";

/// Columns of triplets: both images, what the model makes of them, and the truth where there is a third row.
pub fn sheet(
    [model, data_name]: [&str; 2],
    data: &dyn Dataset,
    triplets: &[Triplet],
    made: &Array2<f32>,
) -> Result<Sheet> {
    let [first, second, third] = rows_of(data, triplets);
    let strip = |label: &str, remark: &str, images: &Array2<f32>| -> Result<Strip> {
        let tiles = tiles(images, data.shape())?;
        Ok(Strip { label: label.into(), remark: remark.into(), tiles, faded: false })
    };
    let mut strips = vec![
        strip("first", "gives all the rest", &first)?,
        strip("second", "gives what is named above", &second)?,
        strip("mixture", "by the model", made)?,
    ];
    if triplets.iter().all(|triplet| triplet.rows[2] != triplet.rows[0]) {
        strips.push(strip("mixture", "true", &third)?);
    } else if let Some(truth) = drawn(data, triplets) {
        strips.push(strip("mixture", "by the simulator", &truth)?);
    }
    let columns = triplets.iter().map(|triplet| words(data, triplet)).collect();
    let title = format!("{model} on {data_name}: some factors of one image in another");
    Ok(Sheet { title, columns, strips })
}

/// The mixtures as the world behind the data draws them, where there is one.
fn drawn(data: &dyn Dataset, triplets: &[Triplet]) -> Option<Array2<f32>> {
    let world = data.world()?;
    let (factors, size) = (data.factors().len(), data.shape().size());
    let mut images = Array2::zeros((triplets.len(), size));
    for (triplet, mut image) in triplets.iter().zip(images.rows_mut()) {
        let [mut values, mut other] = [vec![0.0; factors], vec![0.0; factors]];
        data.values(triplet.rows[0], &mut values);
        data.values(triplet.rows[1], &mut other);
        let taken = triplet.from_second.iter().enumerate().filter(|(_, taken)| **taken);
        taken.for_each(|(factor, _)| values[factor] = other[factor]);
        world.draw(&values, image.as_slice_mut()?);
    }
    Some(images)
}

/// The factors that come from the second image, as short as possible.
fn words(data: &dyn Dataset, triplet: &Triplet) -> String {
    let factors = data.factors().iter().zip(&triplet.from_second);
    let names: Vec<&str> =
        factors.filter(|(_, taken)| **taken).map(|(factor, _)| factor.name.as_str()).collect();
    match names.len() {
        0..=1 => names.concat(),
        count => format!("{count} factors"),
    }
}
