//! What actions do to images by a grid of codes: the cells that each touches, what the model makes of it, the truth, and
//! which cells depend on which.

use image::{Rgb, RgbImage};
use ndarray::{Array2, ArrayView1, Axis};
use unbraid_measure::data::Dataset;

use super::tiles;
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// The file of a run.
pub const FILE: &str = "acts.png";
/// Images by which it is known which cells depend on which.
const ROWS: usize = 64;
const TOUCHED: [f32; 3] = [196.0, 78.0, 82.0];

/// A column for each action, each with a row of the data in which it is done.
pub fn sheet(
    [model, data_name]: [&str; 2],
    learner: &dyn Learner,
    data: &dyn Dataset,
) -> Result<Option<Sheet>> {
    let Some(cases) = cases(data) else { return Ok(None) };
    let rows: Vec<usize> = cases.iter().map(|(row, _)| *row).collect();
    let seen = Seen::of(data, &rows);
    let actions = ones(cases.iter().map(|(_, action)| *action), data.actions().len());
    let strip = |label: &str, remark: &str, tiles| Strip {
        label: label.into(),
        remark: remark.into(),
        tiles,
        faded: false,
    };
    let before = tiles(&seen.observations, data.shape())?;
    let mut strips = vec![strip("before", "", before.clone())];
    if let Some(found) = learner.touches(&seen, actions.view()) {
        let each = before.iter().zip(found.cells.rows());
        let tiles = each.map(|(image, cells)| touched(image, cells, found.grid)).collect();
        strips.push(strip("touched", "cells it acts on", tiles));
    }
    let targets = Array2::zeros((rows.len(), data.factors().len()));
    let codes = learner.encode(&seen);
    let after = learner.next(codes.view(), targets.view(), actions.view());
    if let Some(made) = after.and_then(|codes| learner.decode(codes.view())) {
        strips.push(strip("after", "by the model", tiles(&made, data.shape())?));
    }
    let following: Vec<usize> =
        rows.iter().filter_map(|row| Some(data.next(*row)?.index)).collect();
    strips.push(strip(
        "after",
        "true",
        tiles(&Seen::of(data, &following).observations, data.shape())?,
    ));
    let graphs: Option<Vec<RgbImage>> =
        cases.iter().map(|(_, action)| graph(learner, data, *action)).collect();
    if let Some(graphs) = graphs {
        strips.push(strip("graph", "row: cell, column: parent", graphs));
    }
    let columns = cases.iter().map(|(_, action)| data.actions()[*action].clone()).collect();
    let title = format!("{model} on {data_name}: what actions do");
    Ok(Some(Sheet { title, columns, strips }))
}

/// A row in which each action is done, where all are.
fn cases(data: &dyn Dataset) -> Option<Vec<(usize, usize)>> {
    let all = data.actions().len();
    let mut first = vec![None; all];
    for row in 0..data.len() {
        let action = data.next(row).and_then(|step| step.action.iter().position(|one| *one == 1.0));
        if let Some(place) = action.map(|action| &mut first[action]) {
            place.get_or_insert(row);
        }
        if first.iter().all(Option::is_some) {
            break;
        }
    }
    let found: Vec<(usize, usize)> =
        first.iter().enumerate().filter_map(|(action, row)| Some(((*row)?, action))).collect();
    (!found.is_empty()).then_some(found)
}

fn ones(actions: impl ExactSizeIterator<Item = usize>, all: usize) -> Array2<f32> {
    let mut table = Array2::zeros((actions.len(), all));
    actions.enumerate().for_each(|(row, action)| table[[row, action]] = 1.0);
    table
}

/// An image with the cells that are touched in red.
fn touched(image: &RgbImage, cells: ArrayView1<f32>, [height, width]: [usize; 2]) -> RgbImage {
    let mut out = image.clone();
    for (x, y, pixel) in out.enumerate_pixels_mut() {
        let row = y as usize * height / image.height() as usize;
        let column = x as usize * width / image.width() as usize;
        let share = 0.7 * cells[row * width + column];
        let blend = |k: usize| {
            let from = f32::from(pixel[k]);
            (from + (TOUCHED[k] - from) * share).round() as u8
        };
        *pixel = Rgb([blend(0), blend(1), blend(2)]);
    }
    out
}

/// Which cells depend on which under an action, as a mean over some images; black is always.
fn graph(learner: &dyn Learner, data: &dyn Dataset, action: usize) -> Option<RgbImage> {
    let rows: Vec<usize> = (0..data.len().min(ROWS)).collect();
    let actions = ones(rows.iter().map(|_| action), data.actions().len());
    let found = learner.touches(&Seen::of(data, &rows), actions.view())?;
    let mean = found.edges.mean_axis(Axis(0))?;
    let cells = found.grid[0] * found.grid[1];
    let pixel = |x: u32, y: u32| {
        let (child, parent) = (y as usize, x as usize);
        let share = if child == parent { 1.0 } else { mean[child * cells + parent] };
        Rgb([(255.0 * (1.0 - share)).round() as u8; 3])
    };
    Some(RgbImage::from_fn(cells as u32, cells as u32, pixel))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn cells_that_are_touched_turn_red_and_others_stay() {
        let white = RgbImage::from_pixel(4, 4, Rgb([255; 3]));
        let cells = array![0.0, 1.0, 0.0, 0.0];
        let drawn = touched(&white, cells.view(), [2, 2]);
        assert_eq!([drawn[(0, 0)], drawn[(3, 3)]], [Rgb([255; 3]); 2]);
        assert_ne!(drawn[(2, 1)], Rgb([255; 3]));
        assert_eq!(drawn[(2, 0)], drawn[(3, 1)]);
    }
}
