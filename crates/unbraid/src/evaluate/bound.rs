//! A lower bound of log p(x) by importance sampling (Burda, Grosse and Salakhutdinov, Importance Weighted
//! Autoencoders, ICLR 2016):
//!
//! ```text
//! L_K = E [ log (1/K) Σ_k w_k ],   w = p(x, z) / q(z|x),   z ~ q(z|x)
//! ```
//!
//! L_1 is the evidence bound of training; L_K rises with K, towards log p(x). Papers print K = 5000. Draws
//! come in parts and their weights are added up as they come, so memory does not grow with K.

use ndarray::Array2;
use serde_json::{Value as Json, json};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;

/// Rows at once, and draws of each: a thousand observations in memory, fewer where they are large.
const ROWS: usize = 20;
const DRAWS: usize = 50;
/// Numbers of observations in memory, beside what the networks need for them.
const NUMBERS: usize = 1 << 21;

/// The bound of some rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// L_K, in nats: the mean over rows.
    pub value: f64,
    /// The standard error of that mean, as if rows were drawn from more of their kind.
    pub error: f64,
    /// L_1, by the same draws.
    pub single: f64,
    /// K
    pub draws: usize,
    /// How many rows.
    pub rows: usize,
    /// Whether the rows were held out from training.
    pub held_out: bool,
}

/// Refuse grey observations: of these a Bernoulli likelihood is no density.
pub fn check_black_and_white(data: &dyn Dataset, rows: &[usize]) -> Result<()> {
    match is_black_and_white(data, rows) {
        true => Ok(()),
        false => Err(Error::Unable(
            "the data are grey, and of grey a Bernoulli likelihood is no density, so there is no \
             log p(x): train with train.binarize = true or model.likelihood = \"gaussian\""
                .into(),
        )),
    }
}

fn is_black_and_white(data: &dyn Dataset, rows: &[usize]) -> bool {
    let binary = |value: &f32| *value == 0.0 || *value == 1.0;
    rows.chunks(ROWS).all(|rows| data::observations(data, rows).iter().all(binary))
}

/// The bound on these rows.
pub fn measure(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    draws: usize,
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Bound> {
    let (rng, stage) = (rng.split("draws"), Stage::new(watch, "bound"));
    let (mut bounds, mut singles) = (Vec::new(), Vec::new());
    let at_once = (NUMBERS / (ROWS * data.shape().size())).clamp(1, DRAWS);
    let parts = draws.div_ceil(at_once);
    for (number, chunk) in rows.chunks(ROWS).enumerate() {
        let seen = Seen::of(data, chunk);
        let mut sums = vec![Sum::default(); chunk.len()];
        for part in 0..parts {
            let draws = at_once.min(draws - part * at_once);
            let number = (number * parts + part) as u64;
            let weights = learner.log_weights(&seen, draws, number, &rng).ok_or_else(unable)?;
            add(&mut sums, &weights);
        }
        bounds.extend(sums.iter().map(|sum| sum.log_mean(draws)));
        singles.extend(sums.iter().map(|sum| sum.plain / draws as f64));
        stage.advance(chunk.len() as f64 / rows.len() as f64)?;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let value = mean(&bounds);
    if !value.is_finite() {
        let reason = "the bound is not a finite number: the model gives some rows no chance at all";
        return Err(Error::Unable(reason.into()));
    }
    let squares: f64 = bounds.iter().map(|bound| (bound - value).powi(2)).sum();
    let count = bounds.len() as f64;
    let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
    Ok(Bound { value, error, single: mean(&singles), draws, rows: rows.len(), held_out: false })
}

fn unable() -> Error {
    let reason = "this method has no bound: it is for models with both densities p(x, z) and q(z|x), such \
                  as `vae` and `ladder-vae`";
    Error::Unable(reason.into())
}

/// Σ exp(log w) as a largest term and what the others are of it; and Σ log w.
#[derive(Clone, Copy, Debug)]
struct Sum {
    largest: f64,
    share: f64,
    plain: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { largest: f64::NEG_INFINITY, share: 0.0, plain: 0.0 }
    }
}

impl Sum {
    fn add(&mut self, log_weight: f64) {
        self.plain += log_weight;
        if log_weight > self.largest {
            self.share = self.share * (self.largest - log_weight).exp() + 1.0;
            self.largest = log_weight;
        } else {
            self.share += (log_weight - self.largest).exp();
        }
    }

    fn log_mean(&self, count: usize) -> f64 {
        self.largest + (self.share / count as f64).ln()
    }
}

fn add(sums: &mut [Sum], weights: &Array2<f32>) {
    for (sum, row) in sums.iter_mut().zip(weights.rows()) {
        row.iter().for_each(|weight| sum.add(f64::from(*weight)));
    }
}

impl Bound {
    /// As it is kept in the run.
    pub fn to_json(&self) -> Json {
        let Self { value, error, single, draws, rows, held_out } = self;
        json!({
            "format": 1, "bound": value, "standard_error": error, "draws": draws,
            "bound_of_one_draw": single, "rows": rows, "held_out": held_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Task;
    use crate::models;
    use toml::Table;
    use unbraid_measure::watch::Nobody;

    /// A bound of K draws is higher than one of fewer, and the same whenever it is asked for.
    #[test]
    fn more_draws_raise_the_bound_of_every_family() {
        let data = (unbraid_measure::data::find("squares").unwrap().open)(&Table::new()).unwrap().0;
        for (name, text) in [
            ("vae", "latents = 3\nnet = 'fc'\nwidth = 8"),
            ("hierarchical-vae", "layers = [4, 2]\nwidths = [8, 8]"),
            ("ladder-vae", "layers = [4, 2]\nwidths = [8, 8]"),
        ] {
            let entry = models::find(name).unwrap();
            let rng = Rng::new(1);
            let learner = (entry.configure)(&text.parse().unwrap(), &Task::of(&*data))
                .unwrap()
                .build(&Task::of(&*data), &rng);
            let rows: Vec<usize> = (0..45).collect();
            let bound =
                |draws: usize| measure(&*learner, &*data, &rows, draws, &rng, &Nobody).unwrap();
            let found = [1, 10, 120].map(bound);
            assert_eq!(found[0].value, found[0].single, "{name}");
            assert!(found[0].value < found[1].value, "{name}: {found:?}");
            assert!(found[1].value < found[2].value, "{name}: {found:?}");
            assert_eq!(found[2], bound(120), "{name}");
        }
    }

    #[test]
    fn a_method_without_densities_says_so() {
        let data = (unbraid_measure::data::find("squares").unwrap().open)(&Table::new()).unwrap().0;
        let entry = models::find("pca").unwrap();
        let rng = Rng::new(0);
        let mut learner = (entry.configure)(&Table::new(), &Task::of(&*data))
            .unwrap()
            .build(&Task::of(&*data), &rng);
        learner.fit(&*data, &rng, &Nobody).unwrap();
        let said = measure(&*learner, &*data, &[0], 5, &rng, &Nobody).unwrap_err().to_string();
        assert!(said.contains("has no bound") && said.contains("ladder-vae"), "{said}");
    }

    #[test]
    fn sums_of_weights_neither_overflow_nor_depend_on_their_order() {
        let log_mean = |weights: &[f64]| {
            let mut sum = Sum::default();
            for weight in weights {
                sum.add(*weight);
            }
            sum.log_mean(weights.len())
        };
        let exact = ((2f64.exp() + 1f64.exp() + (-3f64).exp()) / 3.0).ln();
        for order in [[2.0, 1.0, -3.0], [-3.0, 1.0, 2.0], [1.0, 2.0, -3.0]] {
            assert!((log_mean(&order) - exact).abs() < 1e-12);
            let far = order.map(|weight| weight - 1000.0);
            assert!((log_mean(&far) - (exact - 1000.0)).abs() < 1e-9);
        }
        assert_eq!(log_mean(&[-7.0]), -7.0);
    }
}
