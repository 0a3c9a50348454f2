//! How often each target is intervened on, alone and beside the others: the base rates that a classifier
//! which sees the wrong latents must fall back to.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::Dataset;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::Columns;
use crate::parts::nets::layers::fixed;

/// The base rates of K targets.
#[derive(Module, Debug)]
pub struct Rates {
    /// P(I_j), `[1, K]`.
    alone: Param<Tensor<2>>,
    /// P(I_j | I_i = 0) and P(I_j | I_i = 1), `[K, K]` each, by i and then j.
    beside: [Param<Tensor<2>>; 2],
}

impl Rates {
    /// A half each, until they are counted.
    pub fn unknown(targets: usize, device: &Device) -> Self {
        let half = |rows: usize| fixed(vec![0.5; rows * targets], [rows, targets], device);
        Self { alone: half(1), beside: [half(targets), half(targets)] }
    }

    /// Count them in the data. Targets that are always intervened on together cannot be told apart,
    /// whatever is learned: they are named.
    pub fn counted(
        data: &dyn Dataset,
        columns: Columns,
        watch: &dyn Watch,
        device: &Device,
    ) -> Result<Self> {
        let counts = Counts::of(data, columns);
        let names: Vec<&str> = columns.iter().map(|k| data.factors()[k].name.as_str()).collect();
        for (i, j) in counts.inseparable() {
            watch.note(&format!(
                "`{}` and `{}` are always intervened on together: no method can tell them apart by these \
                 data; expect one variable",
                names[i], names[j]
            ));
        }
        if counts.steps == 0.0 {
            return Err(Error::Unable("the data have no transitions with targets".into()));
        }
        let table = |numbers: Vec<f64>| numbers.into_iter().map(|number| number as f32).collect();
        let k = names.len();
        Ok(Self {
            alone: fixed(table(counts.alone()), [1, k], device),
            beside: [false, true].map(|given| fixed(table(counts.beside(given)), [k, k], device)),
        })
    }

    /// P(I_j), `[1, K]`.
    pub fn alone(&self) -> Tensor<2> {
        self.alone.val()
    }

    /// P(I_j | I_i) for targets `[rows, K]`: `[rows, K, K]`, by i and then j.
    pub fn beside(&self, targets: Tensor<2>) -> Tensor<3> {
        let [none, some] = [0, 1].map(|k: usize| self.beside[k].val().unsqueeze::<3>());
        let given = targets.unsqueeze_dim::<3>(2);
        none.clone() + given * (some - none)
    }
}

/// How many steps intervene on each target and on each two.
struct Counts {
    steps: f64,
    /// `[K · K]`, the diagonal those of one.
    both: Vec<f64>,
    targets: usize,
}

impl Counts {
    fn of(data: &dyn Dataset, columns: Columns) -> Self {
        let columns: Vec<usize> = columns.iter().collect();
        let targets = columns.len();
        let (mut steps, mut both) = (0.0, vec![0.0; targets * targets]);
        for step in (0..data.len()).filter_map(|row| data.next(row)) {
            steps += 1.0;
            let hit: Vec<f64> = columns.iter().map(|&k| f64::from(step.targets[k])).collect();
            for (i, one) in hit.iter().enumerate() {
                for (j, other) in hit.iter().enumerate() {
                    both[i * targets + j] += one * other;
                }
            }
        }
        Self { steps, both, targets }
    }

    fn one(&self, k: usize) -> f64 {
        self.both[k * self.targets + k]
    }

    /// Two targets of which neither is ever intervened on without the other.
    fn inseparable(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.targets).flat_map(|i| (i + 1..self.targets).map(move |j| (i, j)));
        let always = |&(i, j): &(usize, usize)| {
            let both = self.both[i * self.targets + j];
            both > 0.0 && both == self.one(i) && both == self.one(j)
        };
        pairs.filter(always).collect()
    }

    fn alone(&self) -> Vec<f64> {
        (0..self.targets).map(|k| self.one(k) / self.steps).collect()
    }

    fn beside(&self, given: bool) -> Vec<f64> {
        let entry = |(i, j): (usize, usize)| {
            let both = self.both[i * self.targets + j];
            match given {
                true => both / self.one(i).max(1.0),
                false => (self.one(j) - both) / (self.steps - self.one(i)).max(1.0),
            }
        };
        (0..self.targets).flat_map(|i| (0..self.targets).map(move |j| (i, j))).map(entry).collect()
    }
}

/// These columns of a table of targets, `[rows, K]`.
pub fn selected(targets: Tensor<2>, columns: Columns) -> Tensor<2> {
    let [rows, all] = targets.dims();
    if columns.len() == all {
        return targets;
    }
    let one = |column: usize| targets.clone().slice([0..rows, column..column + 1]);
    Tensor::cat(columns.iter().map(one).collect(), 1)
}
