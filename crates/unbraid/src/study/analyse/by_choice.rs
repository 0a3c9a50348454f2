//! A number of every model of a data set by choice (method and strength), sorted: what hundreds of draws of seeds go
//! through without a look at the models.

use super::measures::Measure;
use super::models::Models;

/// The values of one choice, from the smallest, each with the place of its seed.
pub(super) type Sorted = Vec<(f64, usize)>;

/// The values of each choice.
#[derive(Clone, Debug)]
pub(super) struct ByChoice(Vec<Sorted>);

impl ByChoice {
    pub(super) fn of(models: &Models, data: usize, measure: &Measure) -> Self {
        let mut values = vec![Sorted::new(); models.choices()];
        for (model, value) in models.having(data, measure) {
            values[models.choice(model)].push((value, model.seed));
        }
        values.iter_mut().for_each(|values| values.sort_by(|a, b| a.0.total_cmp(&b.0)));
        Self(values)
    }

    /// The values of a choice.
    pub(super) fn values(&self, choice: usize) -> &Sorted {
        &self.0[choice]
    }

    /// The mean over seeds of each choice; seeds count as often as they were drawn.
    pub(super) fn means(&self, weights: &[f64]) -> Vec<Option<f64>> {
        self.0.iter().map(|values| mean(values, weights)).collect()
    }
}

impl Models {
    /// Every score on every data set: the data sets of the first score, then those of the next.
    pub(super) fn by_choice(&self) -> Vec<ByChoice> {
        let of = |measure: &Measure| -> Vec<ByChoice> {
            (0..self.data.len()).map(|data| ByChoice::of(self, data, measure)).collect()
        };
        self.scores().iter().flat_map(of).collect()
    }
}

/// The mean over seeds.
pub(super) fn mean(values: &Sorted, weights: &[f64]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for (value, seed) in values {
        sum += weights[*seed] * value;
        count += weights[*seed];
    }
    (count > 0.0).then(|| sum / count)
}

/// The chance that a value of one list is above one of the other; equal ones count half. One walk along both.
pub(super) fn beats(one: &Sorted, other: &Sorted, weights: &[f64]) -> Option<f64> {
    let all = |values: &Sorted| values.iter().map(|(_, seed)| weights[*seed]).sum::<f64>();
    let count = all(one) * all(other);
    // The weight of the other list that is below the value at hand, and that is not above it.
    let (mut below, mut to) = (0.0, 0.0);
    let (mut first, mut next, mut sum) = (0, 0, 0.0);
    for (value, seed) in one {
        while first < other.len() && other[first].0 < *value {
            below += weights[other[first].1];
            first += 1;
        }
        while next < other.len() && other[next].0 <= *value {
            to += weights[other[next].1];
            next += 1;
        }
        sum += weights[*seed] * f64::midpoint(below, to);
    }
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::super::models::tests::table;
    use super::*;

    #[test]
    fn means_are_over_seeds_as_often_as_they_were_drawn() {
        let models = Models::of(&[table(&[
            ("squares", "VAE", 1.0, 5, "mig", 0.25),
            ("squares", "VAE", 4.0, 5, "mig", 0.75),
            ("squares", "VAE", 4.0, 2, "mig", 0.5),
            ("cars3d", "VAE", 4.0, 2, "mig", 0.9),
        ])])
        .unwrap();
        let by_choice = ByChoice::of(&models, 0, &models.scores()[0]);
        assert_eq!(by_choice.values(1), &[(0.5, 0), (0.75, 1)]);
        assert_eq!(by_choice.means(&[1.0, 1.0]), [Some(0.25), Some(0.625)]);
        assert_eq!(by_choice.means(&[2.0, 0.0]), [None, Some(0.5)]);
    }

    #[test]
    fn one_list_beats_another_by_pairs() {
        let (one, other) = (vec![(1.0, 0), (3.0, 1)], vec![(2.0, 0), (3.0, 1)]);
        // 1 beats none, 3 beats 2 and is equal to 3: of four pairs one and a half.
        assert_eq!(beats(&one, &other, &[1.0, 1.0]), Some(1.5 / 4.0));
        // The second seed three times: 3 against 3.
        assert_eq!(beats(&one, &other, &[0.0, 3.0]), Some(0.5));
        // The first twice, the second once: 1 (twice) beats none; 3 beats 2 (twice) and is equal to 3.
        assert_eq!(beats(&one, &other, &[2.0, 1.0]), Some(2.5 / 9.0));
        assert_eq!(beats(&vec![], &one, &[1.0, 1.0]), None);
    }
}
