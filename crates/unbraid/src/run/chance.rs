//! A classifier inside a model that has learned nothing: said at the end of training, with the way out.

use unbraid_measure::data::Dataset;

use crate::model::learner::Terms;

/// The last share of the steps is judged.
const LAST: f64 = 0.1;

/// Accuracies of the last steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accuracy {
    sum: f64,
    chance: f64,
    steps: f64,
}

impl Accuracy {
    /// Take a step into account, if it is one of the last and there is a classifier.
    pub(super) fn see(&mut self, [done, steps]: [u64; 2], terms: &Terms, data: &dyn Dataset) {
        if (done as f64) < (1.0 - LAST) * steps as f64 {
            return;
        }
        let term =
            |name: &str| terms.iter().find(|(term, _)| term == name).map(|(_, v)| f64::from(*v));
        let actions = data.actions().len();
        let guessed = || (actions > 1).then(|| 1.0 / actions as f64);
        if let (Some(accuracy), Some(chance)) = (term("accuracy"), term("chance").or_else(guessed))
        {
            *self = Self { sum: self.sum + accuracy, chance, steps: self.steps + 1.0 };
        }
    }

    /// A sentence where it is right no more often than by guessing, with batches of so many.
    pub(super) fn remark(self, batch: usize) -> Option<String> {
        let Self { sum, chance, steps } = self;
        if steps == 0.0 {
            return None;
        }
        let accuracy = sum / steps;
        // Three standard errors of guessing, and never less than a tenth more.
        let error = (chance * (1.0 - chance) / (batch as f64 * steps)).sqrt();
        let most = (chance + 3.0 * error).max(1.1 * chance);
        (accuracy <= most).then(|| {
            format!(
                "the classifier inside this model is right in {:.1} % of the last steps, and guessing would be in {:.1} %: \
                 it has learned nothing, and neither have the codes; train longer, with a higher learning rate \
                 (`train.learning_rate`), or give it classes that differ more (fewer or longer segments)",
                100.0 * accuracy,
                100.0 * chance
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Table;
    use unbraid_measure::data;

    fn remark(accuracy: f32) -> Option<String> {
        let data = data::open("squares", &Table::new()).unwrap().0;
        let mut seen = Accuracy::default();
        for step in 1..=100 {
            // Early steps are at chance and do not count.
            let now = if step < 90 { 0.01 } else { accuracy };
            let terms: Terms = vec![("accuracy".into(), now), ("chance".into(), 0.01)];
            seen.see([step, 100], &terms, &*data);
        }
        seen.remark(64)
    }

    #[test]
    fn a_classifier_at_chance_is_named_and_one_that_learned_is_not() {
        assert!(
            remark(0.0105).is_some_and(|text| text.contains("1.1 %") || text.contains("1.0 %"))
        );
        assert_eq!(remark(0.5), None);
        assert_eq!(Accuracy::default().remark(64), None);
    }
}
