//! Whether models with other seeds learn the same codes: the UDR of each of a group (Duan et al. 2020, arXiv:1905.12614).
//!
//! A model none of whose latents carries anything agrees with nobody: its UDR is 0, and the others are compared without
//! it. In the authors' code its pairs count as 0 for the others too.

use ndarray::Array2;
use unbraid_measure::metrics::Metric;
use unbraid_measure::metrics::udr::Udr;
use unbraid_measure::representation::{Representation, Sibling};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::Result;

/// The UDR of each model of a group, by codes of the same rows: 0 of one that carries nothing.
pub fn udr(models: Vec<Representation<'static>>, watch: &dyn Watch) -> Result<Vec<f64>> {
    let mut values = vec![0.0; models.len()];
    let (mut places, mut alive) = (Vec::new(), Vec::new());
    for (place, model) in models.into_iter().enumerate().filter(|(_, model)| carries(model)) {
        places.push(place);
        alive.push(Sibling { codes: model.codes.into_owned(), kl: model.readings.kl });
    }
    if alive.len() < 2 {
        return Ok(values);
    }
    let Sibling { codes, kl } = alive.remove(0);
    let nothing = Array2::zeros((codes.nrows(), 0));
    let mut together = Representation::new(codes, nothing, vec![])?;
    together.readings.kl = kl;
    together.readings.siblings = alive;
    let stage = Stage::new(watch, "UDR");
    let score = Udr::LASSO.score(&together, &mut Rng::new(0), &stage)?;
    for (place, (_, value)) in places.into_iter().zip(score.parts) {
        values[place] = value;
    }
    Ok(values)
}

/// Whether some latent tells of what is seen, as the metric judges it.
fn carries(model: &Representation) -> bool {
    match &model.readings.kl {
        Some(kl) => kl.iter().any(|kl| *kl > Udr::LASSO.threshold),
        None => model.codes.columns().into_iter().any(|code| code.iter().any(|z| *z != code[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::watch::Nobody;

    /// Codes that are the factors times these numbers, in this order, with these KLs.
    fn model(order: [usize; 3], scale: f32, kl: Option<[f64; 3]>) -> Representation<'static> {
        let factor = |row: usize, k: usize| (row / [1, 4, 16][k] % 4) as f32;
        let codes = Array2::from_shape_fn((64, 3), |(row, j)| scale * factor(row, order[j]));
        let mut model = Representation::new(codes, Array2::zeros((64, 0)), vec![]).unwrap();
        model.readings.kl = kl.map(Vec::from);
        model
    }

    #[test]
    fn those_that_agree_have_the_value_of_the_metric_and_the_dead_have_none() {
        let alive = Some([1.0; 3]);
        let group = vec![
            model([0, 1, 2], 1.0, alive),
            model([0, 1, 2], 0.0, Some([0.001; 3])),
            model([2, 0, 1], -3.0, alive),
        ];
        // Lasso takes alpha = 0.1 off the coefficient of 1: 0.9² / 0.9.
        let found = udr(group, &Nobody).unwrap();
        assert!((found[0] - 0.9).abs() < 1e-12 && (found[2] - 0.9).abs() < 1e-12, "{found:?}");
        assert_eq!(found[1], 0.0);
        // Where no KL is known, a constant model is dead too, and then nobody is left to agree with.
        let two = vec![model([0, 1, 2], 1.0, None), model([0, 1, 2], 0.0, None)];
        assert_eq!(udr(two, &Nobody).unwrap(), [0.0, 0.0]);
    }
}
