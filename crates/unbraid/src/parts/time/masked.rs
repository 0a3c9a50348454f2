//! Masked dense layers (MADE; Germain et al. 2015, arXiv:1502.03509): variables have an order, and the
//! outputs of each see only the inputs of variables before it, or up to it.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

use crate::compute::{self, Activation};

/// activation(x (W ∘ M) + b) over blocks of inputs and outputs, one of each per variable.
#[derive(Module, Debug)]
pub struct Masked {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    form: Form,
    #[module(skip)]
    activation: Activation,
}

/// What a masked layer maps, and who sees whom.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// How many variables.
    pub variables: usize,
    /// Inputs of each.
    pub input: usize,
    /// Outputs of each.
    pub output: usize,
    /// Whether a variable sees its own inputs.
    pub own: bool,
}

impl Form {
    /// How many variables the outputs of variable `k` see.
    fn seen(self, k: usize) -> usize {
        k + usize::from(self.own)
    }

    /// `[variables · input, variables · output]`, by what is visible: `entry(variables seen)`.
    fn matrix(self, mut entry: impl FnMut(usize) -> f32) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(self.variables.pow(2) * self.input * self.output);
        for from in (0..self.variables * self.input).map(|row| row / self.input) {
            for to in (0..self.variables * self.output).map(|column| column / self.output) {
                let seen = self.seen(to);
                numbers.push(if from < seen { entry(seen) } else { 0.0 });
            }
        }
        numbers
    }

    /// 1 where an output sees an input.
    fn mask(self) -> Vec<f32> {
        let [inputs, outputs] = self.sizes();
        let mut numbers = vec![0.0; inputs * outputs];
        for (row, entries) in numbers.chunks_exact_mut(outputs).enumerate() {
            // The first variable that sees it is itself, or the next.
            let first = row / self.input + usize::from(!self.own);
            entries[(first * self.output).min(outputs)..].fill(1.0);
        }
        numbers
    }

    fn sizes(self) -> [usize; 2] {
        [self.variables * self.input, self.variables * self.output]
    }
}

impl Masked {
    /// Weights within ±sqrt(6 / inputs seen), biases within ±1 / sqrt(all inputs).
    pub fn new(form: Form, activation: Activation, rng: &mut Rng, device: &Device) -> Self {
        let inputs = form.variables * form.input;
        let limit = |seen: usize| (6.0 / (seen * form.input) as f64).sqrt();
        let bias = 1.0 / (inputs as f64).sqrt();
        Self::build(form, activation, limit, bias, rng, device)
    }

    /// An output layer that starts small: weights within ±0.2 sqrt(3 / inputs seen), no bias; the first
    /// variable, which sees nothing or only itself, starts at 0.
    pub fn output(form: Form, rng: &mut Rng, device: &Device) -> Self {
        let first = form.seen(0);
        let limit = |seen: usize| match seen == first {
            true => 0.0,
            false => 0.2 * (3.0 / (seen * form.input) as f64).sqrt(),
        };
        Self::build(form, Activation::None, limit, 0.0, rng, device)
    }

    fn build(
        form: Form,
        activation: Activation,
        limit: impl Fn(usize) -> f64,
        bias: f64,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let mut draw = |limit: f64| ((2.0 * rng.uniform() - 1.0) * limit) as f32;
        let weight = form.matrix(|seen| draw(limit(seen)));
        let [inputs, outputs] = form.sizes();
        let bias: Vec<f32> = (0..outputs).map(|_| draw(bias)).collect();
        Self {
            weight: Param::from_data(TensorData::new(weight, [inputs, outputs]), device),
            bias: Param::from_data(TensorData::new(bias, [outputs]), device),
            form,
            activation,
        }
    }

    /// `[batch, variables · input]` to `[batch, variables · output]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mask = TensorData::new(self.form.mask(), self.form.sizes());
        let mask = Tensor::from_data(mask, &x.device());
        compute::dense(x, self.weight.val() * mask, self.bias.val(), self.activation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    #[test]
    fn outputs_see_the_variables_before_them_and_themselves_where_said() {
        for own in [false, true] {
            let form = Form { variables: 4, input: 2, output: 3, own };
            assert_eq!(form.mask(), form.matrix(|_| 1.0));
            let layer = Masked::new(form, Activation::None, &mut Rng::new(0), &device::inference());
            let at = |moved: Option<usize>| {
                let mut x = vec![0.5; 8];
                if let Some(input) = moved {
                    x[input] += 1.0;
                }
                batch::numbers(layer.forward(batch::matrix(&x, 1, 8, &device::inference())))
            };
            let usual = at(None);
            for input in 0..8 {
                let moved = at(Some(input));
                let changed: Vec<usize> =
                    (0..4).filter(|k| moved[3 * k..3 * k + 3] != usual[3 * k..3 * k + 3]).collect();
                let first = input / 2 + usize::from(!own);
                assert_eq!(changed, (first..4).collect::<Vec<_>>(), "input {input}, own {own}");
            }
        }
    }
}
