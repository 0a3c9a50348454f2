//! A label for each observation.

use super::{Drawn, lacking};
use crate::data::{Dataset, first_label};
use crate::error::Result;

pub(super) fn check(data: &dyn Dataset) -> Result<()> {
    match first_label(data) {
        Some(_) => Ok(()),
        None => Err(lacking("labels")),
    }
}

/// The rows that have a label, where some have none; nothing where all have.
pub(super) fn rows(data: &dyn Dataset) -> Vec<usize> {
    match data.unlabelled() {
        0 => vec![],
        _ => (0..data.len()).filter(|row| data.label(*row).is_some()).collect(),
    }
}

/// These rows with their labels.
pub(super) fn draw(data: &dyn Dataset, rows: Vec<usize>) -> Drawn {
    let labels = rows.iter().filter_map(|&row| data.label(row)).flatten().collect();
    Drawn { views: vec![rows], labels, ..Drawn::default() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::squares;
    use super::super::{Sampler, Supervision};
    use crate::rng::Rng;

    #[test]
    fn each_row_comes_with_its_own_label() {
        let data = squares();
        let sampler = Sampler::new(&*data, Supervision::Labels, false, Rng::new(0)).unwrap();
        let draw = sampler.draw(2, 8);
        for (row, label) in draw.rows.iter().zip(draw.labels.chunks(4)) {
            assert_eq!(data.label(*row).unwrap(), label);
        }
    }
}
