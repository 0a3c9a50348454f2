//! A baseline as a learner: fitted once, without steps.

use ndarray::{Array2, ArrayView2};
use unbraid_measure::data::{Dataset, Draw};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::batch::Seen;
use super::learner::{Learner, Posterior, Terms};
use super::weights::Weights;
use super::{Baseline, Step};
use crate::error::Result;

/// A baseline, before and after fitting.
pub(super) struct Fitted<B: Baseline> {
    config: B::Config,
    fitted: Option<B>,
}

impl<B: Baseline> Fitted<B> {
    pub(super) fn new(config: B::Config) -> Self {
        Self { config, fitted: None }
    }

    fn fitted(&self) -> &B {
        self.fitted.as_ref().expect("a baseline is fitted or loaded before it is used")
    }
}

impl<B: Baseline> Learner for Fitted<B> {
    fn fit(&mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<()> {
        self.fitted = Some(B::fit(&self.config, data, rng, watch)?);
        Ok(())
    }

    fn step(&mut self, _draw: &Draw, _step: Step, _rate: f64) -> Terms {
        vec![]
    }

    fn posterior(&self, seen: &Seen) -> Posterior {
        let mean = self.fitted().encode(seen);
        Posterior { mean, deviation: None, kl: None }
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.fitted().decode(codes)
    }

    fn retrieve(&self, before: &Seen, after: &Seen) -> Option<Array2<f32>> {
        self.fitted().retrieve(before, after)
    }

    fn sees_labels(&self) -> bool {
        B::SEES_LABELS
    }

    fn weights(&self) -> Weights {
        self.fitted().weights()
    }

    fn set_weights(&mut self, weights: Weights) -> Result<()> {
        self.fitted = Some(B::from_weights(weights)?);
        Ok(())
    }

    fn optimizer_state(&self) -> Vec<u8> {
        vec![]
    }

    fn set_optimizer_state(&mut self, _state: &[u8]) -> Result<()> {
        Ok(())
    }
}
