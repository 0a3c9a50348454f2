//! To which segment each row of a file belongs.

use super::Matrix;
use crate::data::sets::mixing::Segments;
use crate::error::{Error, Result};

/// Segments of equal length one after the other; a shorter rest belongs to none.
pub(super) fn cut(rows: usize, length: usize) -> Result<Segments> {
    let count = rows / length;
    if count == 0 {
        let reason = format!("is {length}, and the file has {rows} rows only; use fewer");
        return Err(Error::setting("data.segment_length", reason));
    }
    Ok(Segments { of_row: (0..count * length).map(|row| (row / length) as u32).collect(), count })
}

/// From a number per row, in the order of the numbers, or from one column per segment.
pub(super) fn named(labels: &Matrix) -> std::result::Result<Segments, String> {
    let numbers = &labels.numbers;
    if labels.width > 1 {
        return one_hot(numbers, labels.width);
    }
    if let Some(row) = numbers.iter().position(|number| number.fract() != 0.0) {
        let number = numbers[row];
        return Err(format!("has the segment {number} in row {row}; segments are whole numbers"));
    }
    let mut names = numbers.clone();
    names.sort_by(f32::total_cmp);
    names.dedup();
    let place = |number: &f32| names.partition_point(|name| name < number) as u32;
    Ok(Segments { of_row: numbers.iter().map(place).collect(), count: names.len() })
}

fn one_hot(numbers: &[f32], width: usize) -> std::result::Result<Segments, String> {
    let place = |(row, label): (usize, &[f32])| {
        let ones = label.iter().filter(|number| **number == 1.0).count();
        let zeros = label.iter().filter(|number| **number == 0.0).count();
        match label.iter().position(|number| *number == 1.0) {
            Some(place) if ones == 1 && zeros == width - 1 => Ok(place as u32),
            _ => Err(format!(
                "has segments in {width} columns, but row {row} is not a single 1 among zeros"
            )),
        }
    };
    let places = numbers.chunks_exact(width).enumerate().map(place);
    Ok(Segments { of_row: places.collect::<std::result::Result<_, _>>()?, count: width })
}
