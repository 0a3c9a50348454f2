//! The data set that a variant is.

use ndarray::Array2;

use super::resample::Resample;
use super::rows::Rows;
use crate::data::{About, Counterfactual, Dataset, Do, Shape, Transition, Triplet, World};
use crate::error::Result;
use crate::factors::Factor;
use crate::graph::Graph;
use crate::npz::NpzWriter;

/// Some rows of a data set, with some of its factors, at some size.
pub(super) struct View {
    pub(super) base: Box<dyn Dataset>,
    pub(super) rows: Rows,
    pub(super) factors: Vec<Factor>,
    /// Which factors of the base are left.
    pub(super) columns: Vec<usize>,
    /// Which factors of the base are fixed, and their values.
    pub(super) fixed: Vec<(usize, f32)>,
    /// Whether a factor varies unseen.
    pub(super) hides: bool,
    /// Whether there is one row for every combination of the factors if the base has it.
    pub(super) complete: bool,
    pub(super) resample: Option<Resample>,
}

impl View {
    /// The row of the base.
    pub(super) fn row(&self, index: usize) -> usize {
        match &self.rows {
            Rows::All => index,
            Rows::These(rows) => rows[index] as usize,
            Rows::Drawn(draws) => {
                let found = self.base.find(&draws.draw(index));
                found.expect("a data set with every combination has this one")
            }
        }
    }

    /// What is left of numbers that stand for the factors of the base.
    fn visible(&self, numbers: &[f32]) -> Vec<f32> {
        self.columns.iter().map(|&column| numbers[column]).collect()
    }

    fn sees_all(&self) -> bool {
        self.columns.len() == self.base.factors().len()
    }
}

impl Dataset for View {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        self.resample.as_ref().map_or(self.base.shape(), |resample| resample.to)
    }

    fn len(&self) -> usize {
        match &self.rows {
            Rows::All => self.base.len(),
            Rows::These(rows) => rows.len(),
            Rows::Drawn(draws) => draws.len(),
        }
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let row = self.row(index);
        match &self.resample {
            None => self.base.observe(row, out),
            Some(resample) => {
                let mut image = vec![0.0; self.base.shape().size()];
                self.base.observe(row, &mut image);
                resample.apply(&image, out);
            }
        }
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        let mut values = vec![0.0; self.base.factors().len()];
        match &self.rows {
            Rows::Drawn(draws) => values = draws.draw(index),
            _ => self.base.values(self.row(index), &mut values),
        }
        out.copy_from_slice(&self.visible(&values));
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let label = self.base.label(self.row(index))?;
        if self.sees_all() {
            return Some(label);
        }
        // As long as the factors, it is a number per factor. If not, it is about something else,
        // and could tell what is hidden.
        match label.len() == self.base.factors().len() {
            true => Some(self.visible(&label)).filter(|label| !label.is_empty()),
            false => (!self.hides).then_some(label),
        }
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        if !self.complete || values.len() != self.columns.len() {
            return None;
        }
        let mut wanted = vec![0.0; self.base.factors().len()];
        self.columns.iter().zip(values).for_each(|(&column, value)| wanted[column] = *value);
        self.fixed.iter().for_each(|&(column, value)| wanted[column] = value);
        let row = self.base.find(&wanted)?;
        match &self.rows {
            Rows::These(rows) => rows.binary_search(&u32::try_from(row).ok()?).ok(),
            _ => Some(row),
        }
    }

    fn with_value(&self, index: usize, factor: usize, value: f32) -> Option<usize> {
        let row = self.base.with_value(self.row(index), *self.columns.get(factor)?, value)?;
        match &self.rows {
            Rows::All => Some(row),
            Rows::These(rows) => rows.binary_search(&u32::try_from(row).ok()?).ok(),
            // Drawn rows have no place of their own.
            Rows::Drawn(_) => None,
        }
    }

    fn next(&self, index: usize) -> Option<Transition> {
        // With rows left out, the one that follows may not be there.
        let Rows::All = self.rows else { return None };
        let Transition { index, targets, action } = self.base.next(index)?;
        let targets = match targets.len() == self.base.factors().len() {
            true => self.visible(&targets),
            false => targets,
        };
        Some(Transition { index, targets, action })
    }

    fn actions(&self) -> &[String] {
        match self.rows {
            Rows::All => self.base.actions(),
            _ => &[],
        }
    }

    fn temporal_graph(&self) -> Option<&Array2<bool>> {
        self.base.temporal_graph().filter(|_| self.sees_all())
    }

    fn triplet(&self, number: usize) -> Option<Triplet> {
        // With rows left out, one of the three may not be there.
        let Rows::All = self.rows else { return None };
        let Triplet { rows, from_second } = self.base.triplet(number)?;
        let from_second = self.columns.iter().map(|&column| from_second[column]).collect();
        Some(Triplet { rows, from_second })
    }

    fn world(&self) -> Option<&dyn World> {
        // Its states have all factors, and it draws at its own size.
        self.base.world().filter(|_| self.sees_all() && self.resample.is_none())
    }

    fn graph(&self) -> Option<&Graph> {
        self.base.graph().filter(|_| self.sees_all())
    }

    fn counterfactual(&self, index: usize, dos: &[Do]) -> Option<Counterfactual> {
        let translate = |intervention: &Do| {
            let factor = *self.columns.get(intervention.factor)?;
            Some(Do { factor, value: intervention.value })
        };
        let dos: Vec<Do> = dos.iter().map(translate).collect::<Option<_>>()?;
        let Counterfactual { values, observation } =
            self.base.counterfactual(self.row(index), &dos)?;
        let observation = match &self.resample {
            None => observation,
            Some(resample) => {
                let mut out = vec![0.0; resample.to.size()];
                resample.apply(&observation, &mut out);
                out
            }
        };
        Some(Counterfactual { values: self.visible(&values), observation })
    }

    fn about(&self) -> &About {
        self.base.about()
    }

    fn unlabelled(&self) -> usize {
        match &self.rows {
            Rows::All => self.base.unlabelled(),
            _ if self.base.unlabelled() == 0 => 0,
            _ => (0..self.len()).filter(|row| !self.is_labelled(*row)).count(),
        }
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.base.is_labelled(self.row(index))
    }

    fn write_published(&self, rows: &[usize], file: &mut NpzWriter) -> Result<bool> {
        // The published form has all factors, and observations as they are.
        if !self.sees_all() || self.resample.is_some() {
            return Ok(false);
        }
        let rows: Vec<usize> = rows.iter().map(|row| self.row(*row)).collect();
        self.base.write_published(&rows, file)
    }
}
