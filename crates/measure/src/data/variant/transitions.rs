//! Actions on images: pairs of rows that differ in one factor, by one step along its values, as
//! CT-VAE learns from (Gendron et al., Disentanglement of Latent Representations via Causal
//! Interventions, IJCAI 2023).
//!
//! For each factor f and each two neighbouring values, `contexts` times: draw all factors evenly, set f
//! to the one value and to the other, and keep the two rows unless they are a pair already or lie in
//! different parts. Action f leads up, F + f down.
//!
//! Differences from the released code: parts are by a seeded hash of the image's place in the data in
//! place of a shuffled list, draws are seeded, and `wrap` and `balanced` are ours.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use toml::Table;

use super::view::View;
use super::{Part, conditions};
use crate::data::Dataset;
use crate::data::paired::{Pair, Paired, up_and_down};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::rng::Rng;
use crate::settings;

const KEY: &str = "data.variant.transitions";
/// Where the parts end, on 0..1: 70 % to train, 15 % to choose by, 15 % to test.
const TRAIN: f64 = 0.7;
const VALIDATION: f64 = 0.85;
/// More draws for a step than any data need.
const MOST: usize = 1_000_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    contexts: usize,
    balanced: bool,
    wrap: Vec<String>,
    part: Part,
    seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { contexts: 1000, balanced: false, wrap: Vec::new(), part: Part::All, seed: 0 }
    }
}

/// The pairs that are asked for, and that with every default spelled out.
pub(super) fn of(view: View, given: &Table) -> Result<(Paired, Table)> {
    let settings: Settings = settings::parse(KEY, given)?;
    if !(1..=MOST).contains(&settings.contexts) {
        let reason = format!("is {}; it must be from 1 to {MOST}", settings.contexts);
        return Err(Error::setting(format!("{KEY}.contexts"), reason));
    }
    let values = values(view.factors())?;
    findable(&view)?;
    let steps = steps(view.factors(), &values, &settings.wrap)?;
    let pairs = Draws { view: &view, values: &values, settings: &settings }.pairs(&steps)?;
    let actions = up_and_down(view.factors());
    Ok((Paired::new(Box::new(view), pairs, actions), settings::to_table(&settings)))
}

/// What each factor can be; all must be able to take a step.
fn values(factors: &[Factor]) -> Result<Vec<Vec<f32>>> {
    let values = |factor: &Factor| match &factor.kind {
        Kind::Discrete(values) if values.len() > 1 => Ok(values.clone()),
        Kind::Discrete(_) => Err(Error::setting(
            KEY,
            format!(
                "has no step for `{0}`, which takes one value only; leave it out with \
                 `data.variant.fix = {{ {0} = … }}`",
                factor.name
            ),
        )),
        Kind::Continuous | Kind::Angle => {
            let reason = format!("needs factors with a list of values; `{}` is any", factor.name);
            Err(Error::setting(KEY, format!("{reason} number; choose other data")))
        }
    };
    match factors {
        [] => Err(Error::setting(KEY, "needs data whose factors are known; these have none")),
        _ => factors.iter().map(values).collect(),
    }
}

/// Refuse data whose rows are not found by their values, or are too many to count.
fn findable(view: &View) -> Result<()> {
    let mut values = vec![0.0; view.factors().len()];
    view.values(0, &mut values);
    if view.find(&values).is_none() {
        let reason = "needs data in which every combination of the factors exists once; among the \
                      keys of `data.variant` it can be joined with `size`, `keep` and `fix` alone";
        return Err(Error::setting(KEY, reason));
    }
    match u32::try_from(view.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::setting(KEY, format!("cannot pair {} rows", view.len()))),
    }
}

/// From one value of a factor to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    factor: usize,
    from: f32,
    to: f32,
}

/// All steps, factor by factor, upwards; of a factor that wraps around also from its last value to its
/// first, unless it has two, of which the one step up is the other down.
fn steps(factors: &[Factor], values: &[Vec<f32>], wrap: &[String]) -> Result<Vec<Step>> {
    let column = |name: &String| conditions::column(&format!("{KEY}.wrap"), name, factors);
    let cyclic: Vec<usize> = wrap.iter().map(column).collect::<Result<_>>()?;
    let mut steps = Vec::new();
    for (factor, values) in values.iter().enumerate() {
        steps.extend(values.windows(2).map(|pair| Step { factor, from: pair[0], to: pair[1] }));
        if cyclic.contains(&factor) && values.len() > 2 {
            steps.push(Step { factor, from: values[values.len() - 1], to: values[0] });
        }
    }
    Ok(steps)
}

/// Which of three parts an image is in, by its place in the data behind every variant: it is in the
/// same part whatever else is asked for.
fn part_of(rng: &Rng, row: usize) -> Part {
    match rng.at(row as u64).uniform() {
        place if place < TRAIN => Part::Train,
        place if place < VALIDATION => Part::Validation,
        _ => Part::Test,
    }
}

struct Draws<'a> {
    view: &'a View,
    /// Of all factors.
    values: &'a [Vec<f32>],
    settings: &'a Settings,
}

impl Draws<'_> {
    /// The pairs of all steps, in any order.
    fn pairs(&self, steps: &[Step]) -> Result<Vec<Pair>> {
        let rng = Rng::new(self.settings.seed).split("transitions");
        let mut by_factor = vec![Vec::new(); self.values.len()];
        for (number, step) in steps.iter().enumerate() {
            let contexts = rng.split("contexts").at(number as u64);
            let taken = self.step(step, self.contexts(step, steps), contexts, &rng.split("part"));
            by_factor[step.factor].extend(taken);
        }
        if let Some(factor) = by_factor.iter().position(Vec::is_empty) {
            let reason = format!(
                "has no pair for `{}`: the data are too small; try more `contexts`, or `part = \
                 \"all\"`",
                self.view.factors()[factor].name
            );
            return Err(Error::setting(KEY, reason));
        }
        if self.settings.balanced {
            balance(&mut by_factor, &rng.split("balance"));
        }
        // In any order: who looks at the first rows is to see all factors.
        let pairs = by_factor.concat();
        let order = rng.split("order").permutation(pairs.len());
        Ok(order.into_iter().map(|place| pairs[place]).collect())
    }

    /// How many contexts are drawn for a step. Balanced, all factors have the same number in sum, and
    /// together as many as they would have had.
    fn contexts(&self, step: &Step, steps: &[Step]) -> usize {
        let own = steps.iter().filter(|other| other.factor == step.factor).count();
        match self.settings.balanced {
            false => self.settings.contexts,
            true => (self.settings.contexts * steps.len()).div_ceil(self.values.len() * own),
        }
    }

    /// The different pairs among so many draws for one step.
    fn step(&self, step: &Step, contexts: usize, mut rng: Rng, parts: &Rng) -> Vec<Pair> {
        let mut seen = HashSet::new();
        let mut pairs = Vec::new();
        for _ in 0..contexts {
            let mut context: Vec<f32> =
                self.values.iter().map(|values| values[rng.below(values.len())]).collect();
            let mut row = |value: f32| {
                context[step.factor] = value;
                self.view.find(&context)
            };
            // Every combination is there, and numbers of rows fit: both were checked.
            let (Some(from), Some(to)) = (row(step.from), row(step.to)) else { continue };
            if seen.insert(from) && self.together(from, to, parts) {
                pairs.push(Pair { rows: [from as u32, to as u32], action: step.factor as u32 });
            }
        }
        pairs
    }

    /// Whether two rows are both in the part that is asked for.
    fn together(&self, from: usize, to: usize, parts: &Rng) -> bool {
        let asked = self.settings.part;
        let inside = |row: usize| part_of(parts, self.view.row(row)) == asked;
        asked == Part::All || (inside(from) && inside(to))
    }
}

/// Leave each factor as many pairs as the one with fewest has, by chance and in order.
fn balance(by_factor: &mut [Vec<Pair>], rng: &Rng) {
    let fewest = by_factor.iter().map(Vec::len).min().unwrap_or(0);
    for (factor, pairs) in by_factor.iter_mut().enumerate() {
        let mut kept = rng.at(factor as u64).distinct(fewest, pairs.len());
        kept.sort_unstable();
        *pairs = kept.into_iter().map(|k| pairs[k]).collect();
    }
}

#[cfg(test)]
mod tests;
