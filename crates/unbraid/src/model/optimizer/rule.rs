//! The rules by which a gradient becomes a step, and what each remembers of a parameter.
//!
//! | rule | remembers | with the settings |
//! |---|---|---|
//! | `adam` | two moments, from 0 | of Locatello et al. 2019: β = 0.9 and 0.999, ε = 1e-8; burn's ε of 1e-5 is a thousand times larger |
//! | `adagrad` | the sum of squared gradients, from 0.1 | of TensorFlow: nothing is added to the root |
//!
//! Adagrad is the optimiser of the β-VAE paper on dSprites, with a learning rate of 0.01. The paper
//! does not say what its sums begin with; 0.1 is also that of the classifier of `higgins-score`.

use burn::tensor::Tensor;
use unbraid_measure::settings::words;

use crate::compute::{self, Adagrad, Adam};
use crate::model::Group;

words! {
    /// How a gradient becomes a step.
    pub enum Rule {
        /// Kingma and Ba 2015.
        Adam = "adam",
        /// Duchi, Hazan and Singer 2011.
        Adagrad = "adagrad",
    }
}

impl Rule {
    /// What it remembers of a weight, by the names under which that is saved.
    pub(super) fn remembered(self) -> &'static [&'static str] {
        match self {
            Self::Adam => &["first", "second"],
            Self::Adagrad => &["squares"],
        }
    }

    /// What each of these is before the first step.
    fn beginning(self) -> f32 {
        match self {
            Self::Adam => 0.0,
            Self::Adagrad => Adagrad::FIRST,
        }
    }
}

/// The state of a parameter. Steps are counted per parameter: one whose first gradient comes
/// late has fresh moments, and needs a fresh bias correction.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) steps: i32,
    /// As many as [`Rule::remembered`] names.
    pub(super) arrays: Vec<Tensor<1>>,
}

impl Memory {
    /// Before the first step of this weight.
    pub(super) fn fresh(rule: Rule, weight: &Tensor<1>) -> Self {
        let begin = |_| weight.full_like(rule.beginning());
        Self { steps: 0, arrays: rule.remembered().iter().map(begin).collect() }
    }
}

/// How large the step of a parameter is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) rate: f64,
    /// Adam's β₁ and β₂; Adagrad has none.
    pub(super) betas: [f64; 2],
}

impl Pace {
    pub(super) fn of(rate: f64) -> Self {
        Self { rate, betas: [0.9, 0.999] }
    }

    pub(super) fn of_group(group: &Group) -> Self {
        Self { rate: group.rate, betas: group.betas }
    }

    /// The weight after a step, and what is to be remembered of it.
    pub(super) fn step(
        self,
        rule: Rule,
        [weight, gradient]: [Tensor<1>; 2],
        memory: Memory,
    ) -> (Tensor<1>, Memory) {
        let (rate, steps) = (self.rate as f32, memory.steps + 1);
        let mut before = memory.arrays.into_iter();
        let mut next = || before.next().expect("a rule has all that it remembers");
        let (weight, arrays) = match rule {
            Rule::Adam => {
                let [beta_1, beta_2] = self.betas.map(|beta| beta as f32);
                let adam = Adam { rate, beta_1, beta_2, epsilon: 1e-8, step: steps };
                let [weight, first, second] =
                    compute::adam(adam, [weight, gradient, next(), next()]);
                (weight, vec![first, second])
            }
            Rule::Adagrad => {
                let [weight, squares] =
                    compute::adagrad(Adagrad { rate }, [weight, gradient, next()]);
                (weight, vec![squares])
            }
        };
        (weight, Memory { steps, arrays })
    }
}
