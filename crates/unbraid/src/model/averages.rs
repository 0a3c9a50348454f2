//! Parameters that no gradient moves: they follow what a loss saw of a batch, such as the statistics of
//! batch normalisation or a codebook that is a moving average.

use std::collections::HashMap;

use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::tensor::Tensor;

/// New values, by the parameter that moves towards them.
#[derive(Clone, Debug)]
pub struct Averages {
    /// Which share of the way each step goes.
    share: f64,
    values: HashMap<ParamId, Tensor<1>>,
}

impl Averages {
    /// None yet; parameters will go this share of the way towards them.
    pub fn moving(share: f64) -> Self {
        Self { share, values: HashMap::new() }
    }

    /// A value for a parameter, flattened if it has more axes.
    pub fn insert(&mut self, parameter: ParamId, value: Tensor<1>) {
        self.values.insert(parameter, value);
    }

    /// Whether nothing is to move.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Add a share of other values to these.
    pub fn add(&mut self, other: Self, share: f64) {
        for (parameter, value) in other.values {
            let part = value * share;
            let sum = match self.values.remove(&parameter) {
                Some(sum) => sum + part,
                None => part,
            };
            self.values.insert(parameter, sum);
        }
    }

    /// The model with its parameters moved: p ← p + share (value − p).
    pub fn applied<M: Module>(&self, model: M) -> M {
        match self.is_empty() {
            true => model,
            false => model.map(&mut Mover { values: &self.values, share: self.share }),
        }
    }
}

struct Mover<'a> {
    values: &'a HashMap<ParamId, Tensor<1>>,
    share: f64,
}

impl ModuleMapper for Mover<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(value) = self.values.get(&param.id) else { return param };
        let share = self.share;
        param.map(|old| {
            let (old, value) = (old.inner(), value.clone().inner());
            let value = value.reshape(old.dims());
            Tensor::from_inner(old.clone() + (value - old) * share)
        })
    }
}
