//! Adam over the parameters of a module, with a state that can be saved.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use serde_json::json;

use crate::compute::{self, Adam};
use crate::error::{Error, Result};
use crate::model::Group;
use crate::model::batch;
use crate::model::weights::{self, Weight, Weights};

/// The optimiser, with its state for every parameter by its path in the module.
#[derive(Debug)]
pub struct Optimizer {
    rule: Adam,
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

/// Adam's state for a parameter. Steps are counted per parameter: one whose first gradient comes
/// late has fresh moments, and needs a fresh bias correction.
#[derive(Debug)]
struct Memory {
    steps: i32,
    moments: [Tensor<1>; 2],
}

impl Optimizer {
    /// Adam with the settings of Locatello et al. 2019; burn's default epsilon of 1e-5 is a
    /// thousand times larger.
    pub fn adam() -> Self {
        let rule = Adam { rate: 0.0, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, step: 0 };
        Self { rule, groups: vec![], memory: BTreeMap::new() }
    }

    /// The learning rate and betas of the parameter at this path.
    fn rule(&self, path: &str) -> Adam {
        match self.groups.iter().find(|group| path.starts_with(group.prefix)) {
            None => self.rule,
            Some(group) => {
                let [beta_1, beta_2] = group.betas.map(|beta| beta as f32);
                Adam { rate: group.rate as f32, beta_1, beta_2, ..self.rule }
            }
        }
    }

    /// The module after one gradient step; a parameter without a gradient stays as it is, and one
    /// in a group has that group's learning rate and betas.
    pub fn step<M: Module>(&mut self, rates: Rates, module: M, gradients: GradientsParams) -> M {
        self.rule.rate = rates.rate as f32;
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
            for (name, moment) in ["first", "second"].iter().zip(&memory.moments) {
                let values = batch::numbers(moment.clone());
                let shape = vec![values.len()];
                arrays.insert(format!("{name}:{path}"), Weight { shape, values });
            }
        }
        let steps: BTreeMap<&String, i32> =
            self.memory.iter().map(|(path, memory)| (path, memory.steps)).collect();
        weights::to_bytes(&arrays, &[], &json!({ "steps": steps }).to_string())
    }

    /// The inverse of [`state`](Self::state), for a module with these weights.
    pub fn from_state(state: &[u8], module: &Weights, device: &Device) -> Result<Self> {
        let unreadable = |reason: String| {
            Error::Unable(format!(
                "the optimiser's state cannot be read ({reason}); if an earlier unbraid wrote it, \
                 train anew"
            ))
        };
        let mut file = weights::from_bytes(state).map_err(unreadable)?;
        let mut optimizer = Self::adam();
        for (path, weight) in module {
            let mut take = |name: &str| file.weights.remove(&format!("{name}:{path}"));
            let (first, second) = match (take("first"), take("second")) {
                (None, None) => continue,
                (Some(first), Some(second)) => (first, second),
                _ => return Err(unreadable(format!("a moment of `{path}` is missing"))),
            };
            let size = weight.values.len();
            if first.values.len() != size || second.values.len() != size {
                return Err(unreadable(format!("it does not fit the weight `{path}`")));
            }
            let steps = file.about["steps"][path].as_i64().and_then(|n| i32::try_from(n).ok());
            let steps = steps.ok_or_else(|| unreadable(format!("`{path}` has no steps")))?;
            let moment = |moment: Weight| Tensor::from_data(moment.values.as_slice(), device);
            let moments = [moment(first), moment(second)];
            optimizer.memory.insert(path.clone(), Memory { steps, moments });
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
            let Memory { steps, moments: [first, second] } =
                self.optimizer.memory.remove(&path).unwrap_or_else(|| Memory {
                    steps: 0,
                    moments: [weight.zeros_like(), weight.zeros_like()],
                });
            let rule = Adam { step: steps + 1, ..self.optimizer.rule(&path) };
            let [weight, first, second] = compute::adam(rule, [weight, gradient, first, second]);
            let memory = Memory { steps: steps + 1, moments: [first, second] };
            self.optimizer.memory.insert(path, memory);
            let weight = Tensor::from_inner(weight.reshape(shape));
            if tracked { weight.require_grad() } else { weight }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use burn::module::Param;

    #[derive(Module, Debug)]
    struct Linear {
        weight: Param<Tensor<2>>,
    }

    #[derive(Module, Debug)]
    struct Two {
        early: Linear,
        late: Linear,
    }

    impl Two {
        fn new() -> Self {
            let ones =
                || Linear { weight: Param::from_tensor(Tensor::ones([3, 2], &device::training())) };
            Self { early: ones(), late: ones() }
        }

        fn stepped(self, optimizer: &mut Optimizer, late: bool) -> Self {
            let x = Tensor::<2>::ones([4, 3], &device::training());
            let mut loss = x.clone().matmul(self.early.weight.val()).sum();
            if late {
                loss = loss + x.matmul(self.late.weight.val()).sum();
            }
            let gradients = GradientsParams::from_grads(loss.backward(), &self);
            optimizer.step(Rates::all(0.01), self, gradients)
        }
    }

    #[test]
    fn a_parameter_whose_first_gradient_comes_late_takes_a_whole_first_step() {
        let mut optimizer = Optimizer::adam();
        let start = Two::new();
        let before = weights::of(&start);
        let module = (0..50).fold(start, |module, _| module.stepped(&mut optimizer, false));
        let between = weights::of(&module);
        assert_eq!(between["late.weight"], before["late.weight"]);
        assert_ne!(between["early.weight"], before["early.weight"]);
        let after = weights::of(&module.stepped(&mut optimizer, true));
        // Adam's first step is the rate, whatever the gradient.
        for (new, old) in after["late.weight"].values.iter().zip(&before["late.weight"].values) {
            assert!((old - new - 0.01).abs() < 1e-6, "{old} to {new}");
        }
    }

    #[test]
    fn a_gradient_beyond_the_largest_norm_is_scaled_down_to_it_as_a_whole() {
        // Every entry of both has the gradient 4: a norm of 4 sqrt(12), and Adam's first moment is a tenth.
        for (largest, expected) in [(None, 0.4), (Some(1.0), 0.1 / 12f32.sqrt()), (Some(1e3), 0.4)]
        {
            let mut optimizer = Optimizer::adam();
            let module = Two::new();
            let x = Tensor::<2>::ones([4, 3], &device::training());
            let both = [&module.early, &module.late];
            let [early, late] = both.map(|layer| x.clone().matmul(layer.weight.val()).sum());
            let gradients = GradientsParams::from_grads((early + late).backward(), &module);
            optimizer.step(Rates { largest, ..Rates::all(0.01) }, module, gradients);
            for memory in optimizer.memory.values() {
                let first = batch::numbers(memory.moments[0].clone());
                assert!(first.iter().all(|one| (one - expected).abs() < 1e-6), "{first:?}");
            }
        }
    }

    #[test]
    fn a_state_that_does_not_fit_is_refused() {
        let mut optimizer = Optimizer::adam();
        let module = Two::new().stepped(&mut optimizer, false);
        let (state, known) = (optimizer.state(), weights::of(&module));
        let read = |state: &[u8], module: &Weights| {
            Optimizer::from_state(state, module, &device::inference()).map(|read| read.state())
        };
        assert_eq!(read(&state, &known).unwrap(), state);
        let mut smaller = known.clone();
        smaller.get_mut("early.weight").unwrap().values.pop();
        let mut fewer = known.clone();
        fewer.remove("early.weight");
        for (state, module, reason) in [
            (&state[..], &smaller, "does not fit the weight `early.weight`"),
            (&state[..], &fewer, "is no weight of this model"),
            (&state[..9], &known, "train anew"),
        ] {
            let said = read(state, module).unwrap_err().to_string();
            assert!(said.contains(reason), "{said}");
        }
    }
}
