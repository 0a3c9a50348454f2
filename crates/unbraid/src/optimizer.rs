//! Adam over the parameters of a module, with a state that can be saved.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use crate::batch;
use crate::compute::{self, Adam};
use crate::error::{Error, Result};
use crate::weights::{self, Weight, Weights};

/// The optimiser: both moments of every parameter, by its path in the module.
#[derive(Debug)]
pub struct Optimizer {
    rule: Adam,
    moments: BTreeMap<String, [Tensor<1>; 2]>,
}

impl Optimizer {
    /// Adam as in the study; burn's own default epsilon of 1e-5 is a thousand times larger.
    pub fn adam() -> Self {
        let rule = Adam { rate: 0.0, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, step: 0 };
        Self { rule, moments: BTreeMap::new() }
    }

    /// The module after one step down its gradients; a parameter without one stays as it is.
    pub fn step<M: Module>(&mut self, rate: f64, module: M, gradients: GradientsParams) -> M {
        self.rule.rate = rate as f32;
        self.rule.step += 1;
        module.map(&mut Stepper { path: vec![], gradients, optimizer: self })
    }

    /// The state, as the bytes of a safetensors file.
    pub fn state(&self) -> Vec<u8> {
        let mut arrays = Weights::new();
        for (path, moments) in &self.moments {
            for (name, moment) in ["first", "second"].iter().zip(moments) {
                let values = batch::numbers(moment.clone());
                arrays
                    .insert(format!("{name}:{path}"), Weight { shape: vec![values.len()], values });
            }
        }
        weights::to_bytes(&arrays, &[], &serde_json::json!({ "step": self.rule.step }).to_string())
    }

    /// The inverse of [`state`](Self::state), for a module with these weights.
    pub fn from_state(
        state: &[u8],
        module: &Weights,
        device: &burn::tensor::Device,
    ) -> Result<Self> {
        let unreadable = |reason: String| Error::Unable(format!("the optimiser's state: {reason}"));
        let mut file = weights::from_bytes(state).map_err(unreadable)?;
        let step = file.about["step"].as_i64().and_then(|step| i32::try_from(step).ok());
        let mut optimizer = Self::adam();
        optimizer.rule.step = step.ok_or_else(|| unreadable("it has no step".into()))?;
        for (path, weight) in module {
            let mut take = |name: &str| file.weights.remove(&format!("{name}:{path}"));
            let (Some(first), Some(second)) = (take("first"), take("second")) else { continue };
            if first.values.len() != weight.values.len()
                || second.values.len() != first.values.len()
            {
                return Err(unreadable(format!("it does not fit the weight `{path}`")));
            }
            let moment = |moment: Weight| Tensor::from_data(moment.values.as_slice(), device);
            optimizer.moments.insert(path.clone(), [moment(first), moment(second)]);
        }
        match file.weights.keys().next() {
            None => Ok(optimizer),
            Some(path) => Err(unreadable(format!("`{path}` is no weight of this model"))),
        }
    }
}

struct Stepper<'a> {
    path: Vec<String>,
    gradients: GradientsParams,
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
            // Without its autodiff association the tensor is ours alone, so the step is in place.
            let weight = weight.inner().reshape([size]);
            let gradient = gradient.inner().reshape([size]);
            let moments = self.optimizer.moments.remove(&path);
            let [first, second] =
                moments.unwrap_or_else(|| [weight.zeros_like(), weight.zeros_like()]);
            let tensors = [weight, gradient, first, second];
            let [weight, first, second] = compute::adam(self.optimizer.rule, tensors);
            self.optimizer.moments.insert(path, [first, second]);
            let weight = Tensor::from_inner(weight.reshape(shape));
            if tracked { weight.require_grad() } else { weight }
        })
    }
}
