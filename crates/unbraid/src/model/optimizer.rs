//! Gradient steps over the parameters of a module, with a state that can be saved.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use serde_json::json;

use crate::error::{Error, Result};
use crate::model::Group;
use crate::model::batch;
use crate::model::weights::{self, Weight, Weights};
use rule::{Memory, Pace};

mod rule;

pub use rule::Rule;

/// The optimiser, with its state for every parameter by its path in the module.
#[derive(Debug)]
pub struct Optimizer {
    rule: Rule,
    rate: f64,
    groups: Vec<Group>,
    memory: BTreeMap<String, Memory>,
}

/// How large a step is.
pub struct Rates {
    /// The learning rate.
    pub rate: f64,
    /// Parameters with their own.
    pub groups: Vec<Group>,
    /// The largest norm of the gradient of all parameters.
    pub largest: Option<f64>,
}

impl Rates {
    /// One learning rate for all parameters.
    pub fn all(rate: f64) -> Self {
        Self { rate, groups: vec![], largest: None }
    }
}

impl Optimizer {
    /// One that has taken no step.
    pub fn new(rule: Rule) -> Self {
        Self { rule, rate: 0.0, groups: vec![], memory: BTreeMap::new() }
    }

    /// How it makes a step of a gradient.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The learning rate and betas of the parameter at this path.
    fn pace(&self, path: &str) -> Pace {
        let group = self.groups.iter().find(|group| path.starts_with(group.prefix));
        group.map_or(Pace::of(self.rate), Pace::of_group)
    }

    /// The module after one gradient step; a parameter without a gradient stays as it is, and one
    /// in a group has that group's learning rate and betas.
    pub fn step<M: Module>(&mut self, rates: Rates, module: M, gradients: GradientsParams) -> M {
        self.rate = rates.rate;
        self.groups = rates.groups;
        let mut norm = Norm { gradients: &gradients, squares: 0.0 };
        let times = rates.largest.map_or(1.0, |largest| {
            module.visit(&mut norm);
            (largest / norm.squares.sqrt().max(f64::MIN_POSITIVE)).min(1.0)
        });
        module.map(&mut Stepper { path: vec![], gradients, times, optimizer: self })
    }

    /// The state, as the bytes of a safetensors file.
    pub fn state(&self) -> Vec<u8> {
        let mut arrays = Weights::new();
        for (path, memory) in &self.memory {
            for (name, array) in self.rule.remembered().iter().zip(&memory.arrays) {
                let values = batch::numbers(array.clone());
                let shape = vec![values.len()];
                arrays.insert(format!("{name}:{path}"), Weight { shape, values });
            }
        }
        let steps: BTreeMap<&String, i32> =
            self.memory.iter().map(|(path, memory)| (path, memory.steps)).collect();
        weights::to_bytes(&arrays, &[], &json!({ "steps": steps }).to_string())
    }

    /// The inverse of [`state`](Self::state) under the same rule, for a module with these weights.
    pub fn from_state(rule: Rule, state: &[u8], module: &Weights, device: &Device) -> Result<Self> {
        let unreadable = |reason: String| {
            Error::Unable(format!(
                "the optimiser's state cannot be read ({reason}); if an earlier unbraid wrote it, \
                 train anew"
            ))
        };
        let mut file = weights::from_bytes(state).map_err(unreadable)?;
        let mut optimizer = Self::new(rule);
        for (path, weight) in module {
            let names = rule.remembered();
            let take = |name: &&str| file.weights.remove(&format!("{name}:{path}"));
            let found: Vec<Weight> = names.iter().filter_map(take).collect();
            if found.is_empty() {
                continue;
            }
            if found.len() < names.len() {
                return Err(unreadable(format!("a moment of `{path}` is missing")));
            }
            if found.iter().any(|array| array.values.len() != weight.values.len()) {
                return Err(unreadable(format!("it does not fit the weight `{path}`")));
            }
            let steps = file.about["steps"][path].as_i64().and_then(|n| i32::try_from(n).ok());
            let steps = steps.ok_or_else(|| unreadable(format!("`{path}` has no steps")))?;
            let tensor = |array: &Weight| Tensor::from_data(array.values.as_slice(), device);
            let arrays = found.iter().map(tensor).collect();
            optimizer.memory.insert(path.clone(), Memory { steps, arrays });
        }
        match file.weights.keys().next() {
            None => Ok(optimizer),
            Some(path) => Err(unreadable(format!("`{path}` is no weight of this model"))),
        }
    }
}

/// The squared norm of the gradients of all parameters.
struct Norm<'a> {
    gradients: &'a GradientsParams,
    squares: f64,
}

impl ModuleVisitor for Norm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.get::<D>(param.id) {
            self.squares += f64::from(gradient.square().sum().into_scalar::<f32>());
        }
    }
}

struct Stepper<'a> {
    path: Vec<String>,
    gradients: GradientsParams,
    /// What gradients are multiplied by.
    times: f64,
    optimizer: &'a mut Optimizer,
}

impl ModuleMapper for Stepper<'_> {
    fn enter_module(&mut self, name: &str, _kind: &str) {
        self.path.push(name.into());
    }
    fn exit_module(&mut self, _name: &str, _kind: &str) {
        self.path.pop();
    }
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(gradient) = self.gradients.remove::<D>(param.id) else { return param };
        let path = self.path.join(".");
        param.map(|weight| {
            let (shape, tracked) = (weight.dims(), weight.is_require_grad());
            let size = shape.iter().product::<usize>();
            // Without its autodiff association the tensor is uniquely owned, so the step is in place.
            let weight = weight.inner().reshape([size]);
            let gradient = gradient.inner().reshape([size]);
            let gradient = if self.times < 1.0 { gradient * self.times } else { gradient };
            let (rule, pace) = (self.optimizer.rule, self.optimizer.pace(&path));
            let memory = self.optimizer.memory.remove(&path);
            let memory = memory.unwrap_or_else(|| Memory::fresh(rule, &weight));
            let (weight, memory) = pace.step(rule, [weight, gradient], memory);
            self.optimizer.memory.insert(path, memory);
            let weight = Tensor::from_inner(weight.reshape(shape));
            if tracked { weight.require_grad() } else { weight }
        })
    }
}

#[cfg(test)]
mod tests;
