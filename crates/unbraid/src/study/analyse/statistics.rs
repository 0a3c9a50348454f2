//! The statistics of the analyses, each with its definition. Every value has a weight: how often its seed was drawn.

use rayon::prelude::*;
use unbraid_measure::rng::Rng;

/// Studies that are drawn for an interval.
const DRAWS: usize = 500;

/// A number with its 95 % interval over seeds, if there are several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What the study says.
    pub value: f64,
    /// The ends of the interval.
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// Whether all of the interval is above a number; without an interval nothing is sure.
    pub(crate) fn is_above(&self, number: f64) -> bool {
        self.interval.is_some_and(|[low, _]| low > number)
    }

    /// Whether all of the interval is below a number.
    pub(crate) fn is_below(&self, number: f64) -> bool {
        self.interval.is_some_and(|[_, high]| high < number)
    }
}

/// A statistic of the study and its interval over seeds: a bootstrap. A drawn study has as many seeds as this one, drawn with
/// replacement; `statistic` gets how often each was drawn.
///
/// With few seeds such draws mislead in two ways. A seed that is drawn twice adds no spread, so shares of variance come
/// out too large: draws are therefore centred on the value of the study. And a draw varies by only (n - 1)/n of
/// the variance of n seeds: their distances from the centre are stretched by √(n/(n - 1)). `range` cuts what cannot be.
pub(crate) fn estimate(
    seeds: usize,
    range: [f64; 2],
    rng: &Rng,
    statistic: impl Fn(&[f64]) -> Option<f64> + Sync,
) -> Option<Estimate> {
    let value = statistic(&vec![1.0; seeds])?;
    let draw = |k: usize| {
        let mut rng = rng.at(k as u64);
        let mut weights = vec![0.0; seeds];
        (0..seeds).for_each(|_| weights[rng.below(seeds)] += 1.0);
        statistic(&weights)
    };
    let interval = (seeds > 1).then(|| {
        let found: Vec<f64> = (0..DRAWS).into_par_iter().filter_map(draw).collect();
        let centre = found.iter().sum::<f64>() / found.len() as f64;
        let stretch = (seeds as f64 / (seeds - 1) as f64).sqrt();
        let end = |share| {
            (value + stretch * (quantile(&found, share) - centre)).clamp(range[0], range[1])
        };
        (found.len() > DRAWS / 2).then(|| [end(0.025), end(0.975)])
    });
    Some(Estimate { value, interval: interval.flatten() })
}

/// The share of the variance of (group, value, weight) that groups explain, R² = 1 - SS within / SS total, and the same adjusted for
/// their number, 1 - (1 - R²)(n - 1)/(n - g). Nothing where values do not vary, or there is a group for each.
///
/// A value of weight two is one value drawn twice, which adds no freedom: for n - g stands n - Σ over groups of Σw²/Σw, for n - 1
/// the same over all.
pub(crate) fn explained(values: &[(usize, f64, f64)]) -> Option<[f64; 2]> {
    let groups = values.iter().map(|(group, ..)| group + 1).max()?;
    let (mut sums, mut all) = (vec![[0.0; 3]; groups], [0.0; 3]);
    for (group, value, weight) in values {
        for sum in [&mut sums[*group], &mut all] {
            sum[0] += weight * value;
            sum[1] += weight;
            sum[2] += weight * weight;
        }
    }
    let mean = |[sum, count, _]: [f64; 3]| sum / count;
    let around = |middle: &dyn Fn(usize) -> f64| -> f64 {
        values.iter().map(|(group, value, weight)| weight * (value - middle(*group)).powi(2)).sum()
    };
    let (total, within) = (around(&|_| mean(all)), around(&|group| mean(sums[group])));
    let used = |[_, count, squares]: [f64; 3]| if count > 0.0 { squares / count } else { 0.0 };
    let free = all[1] - sums.iter().map(|sum| used(*sum)).sum::<f64>();
    // Rounding makes a little variance out of none.
    if total <= 1e-24 * all[1] * mean(all).powi(2) || free <= 1e-9 {
        return None;
    }
    let share = 1.0 - within / total;
    Some([share, 1.0 - (1.0 - share) * (all[1] - used(all)) / free])
}

/// Pairs of numbers whose rank correlation is wanted for many draws of seeds: they are sorted once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    /// The place of the seed of each pair.
    seeds: Vec<usize>,
    /// The pairs by x and by y.
    orders: [Order; 2],
}

/// Places of pairs, sorted by a value.
#[derive(Clone, Debug, Default)]
struct Order {
    places: Vec<usize>,
    /// Where each group of equal values ends.
    ends: Vec<usize>,
}

impl Pairs {
    /// Of (x, y, place of the seed).
    pub(crate) fn of(pairs: &[(f64, f64, usize)]) -> Self {
        let sorted = |of: &dyn Fn(usize) -> f64| {
            let mut places: Vec<usize> = (0..pairs.len()).collect();
            places.sort_by(|a, b| of(*a).total_cmp(&of(*b)));
            let end =
                |end: &usize| *end == places.len() || of(places[*end - 1]) != of(places[*end]);
            let ends = (1..=places.len()).filter(end).collect();
            Order { places, ends }
        };
        let orders = [sorted(&|k| pairs[k].0), sorted(&|k| pairs[k].1)];
        Self { seeds: pairs.iter().map(|pair| pair.2).collect(), orders }
    }

    /// Spearman's rank correlation; nothing for fewer than three or a constant.
    pub(crate) fn spearman(&self, weights: &[f64]) -> Option<f64> {
        let count: f64 = self.seeds.iter().map(|seed| weights[*seed]).sum();
        if count < 3.0 {
            return None;
        }
        let middle = f64::midpoint(count, 1.0);
        let [x, y] = self.orders.each_ref().map(|order| self.ranks(order, weights));
        let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
        for (k, seed) in self.seeds.iter().enumerate() {
            let (weight, x, y) = (weights[*seed], x[k] - middle, y[k] - middle);
            xx += weight * x * x;
            yy += weight * y * y;
            xy += weight * x * y;
        }
        (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
    }

    /// Ranks from 1; equal values share the mean of theirs, and a weight of two is two values.
    fn ranks(&self, order: &Order, weights: &[f64]) -> Vec<f64> {
        let (mut ranks, mut before, mut start) = (vec![0.0; self.seeds.len()], 0.0, 0);
        for end in &order.ends {
            let group = &order.places[start..*end];
            let weight: f64 = group.iter().map(|k| weights[self.seeds[*k]]).sum();
            for k in group {
                ranks[*k] = before + f64::midpoint(weight, 1.0);
            }
            before += weight;
            start = *end;
        }
        ranks
    }
}

/// The mean of the rank correlations of several lists of pairs, those that have one.
pub(crate) fn mean_spearman<'a>(
    all: impl IntoIterator<Item = &'a Pairs>,
    weights: &[f64],
) -> Option<f64> {
    let ranks = all.into_iter().filter_map(|pairs| pairs.spearman(weights));
    mean(&ranks.map(|rank| (rank, 1.0)).collect::<Vec<_>>())
}

/// 1 if the first is larger, 0 if it is smaller, a half for equals.
pub(crate) fn above(a: f64, b: f64) -> f64 {
    f64::from(u8::from(a > b)) + 0.5 * f64::from(u8::from(a == b))
}

/// The mean of (value, weight).
pub(crate) fn mean(values: &[(f64, f64)]) -> Option<f64> {
    let count: f64 = values.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = values.iter().map(|(value, weight)| value * weight).sum();
    (count > 0.0).then(|| sum / count)
}

/// A quantile of values, between two of them in proportion.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    below + (sorted[place.ceil() as usize] - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_explained_is_that_of_the_definition() {
        // Means 1 and 3; squares around 2: 10, around the means: 2. R² = 0.8; n = 8, g = 2: 1 - 0.2 · 7/6.
        let values =
            [(0, 0.5), (0, 1.5), (0, 0.5), (0, 1.5), (1, 2.5), (1, 3.5), (1, 2.5), (1, 3.5)];
        let all: Vec<_> = values.iter().map(|(group, value)| (*group, *value, 1.0)).collect();
        let [share, adjusted] = explained(&all).unwrap();
        assert!((share - 0.8).abs() < 1e-12, "{share}");
        assert!((adjusted - (1.0 - 0.2 * 7.0 / 6.0)).abs() < 1e-12, "{adjusted}");
        // A weight of two is the same value twice, with the freedom of one: 8 - 2 · 2 in place of 8 - 2, 8 - 2 of 8 - 1.
        let twice: Vec<_> =
            [0, 1, 4, 5].iter().map(|k| (values[*k].0, values[*k].1, 2.0)).collect();
        let [of_twice, adjusted] = explained(&twice).unwrap();
        assert!((of_twice - share).abs() < 1e-12, "{of_twice}");
        assert!((adjusted - (1.0 - 0.2 * 6.0 / 4.0)).abs() < 1e-12, "{adjusted}");
        assert_eq!(explained(&[(0, 1.0, 1.0), (1, 2.0, 1.0)]), None);
        assert_eq!(explained(&[(0, 0.1, 1.0), (0, 0.1, 1.0), (1, 0.1, 1.0)]), None);
    }

    /// With a seed for each pair.
    fn pairs(all: &[(f64, f64)]) -> Pairs {
        Pairs::of(&all.iter().enumerate().map(|(seed, (x, y))| (*x, *y, seed)).collect::<Vec<_>>())
    }

    #[test]
    fn ranks_share_ties_and_correlate() {
        let ties = pairs(&[(3.0, 0.0), (1.0, 0.0), (3.0, 0.0), (2.0, 0.0)]);
        assert_eq!(ties.ranks(&ties.orders[0], &[1.0; 4]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ties.ranks(&ties.orders[0], &[2.0, 1.0, 0.0, 1.0]), [3.5, 1.0, 3.5, 2.0]);
        let line: Vec<_> = (0..9).map(|k| (f64::from(k), f64::from(k).exp())).collect();
        assert!((pairs(&line).spearman(&[1.0; 9]).unwrap() - 1.0).abs() < 1e-12);
        // 1 - 6 Σd²/(n(n² - 1)) with d = 1, 1, 0, 0: 1 - 12/60.
        let swapped = pairs(&[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (4.0, 4.0)]);
        assert!((swapped.spearman(&[1.0; 4]).unwrap() - 0.8).abs() < 1e-12);
        // Drawn twice and not at all: the same as of the pairs written so often.
        let drawn = swapped.spearman(&[2.0, 1.0, 0.0, 1.0]).unwrap();
        let written = pairs(&[(1.0, 2.0), (1.0, 2.0), (2.0, 1.0), (4.0, 4.0)]).spearman(&[1.0; 4]);
        assert!((drawn - written.unwrap()).abs() < 1e-12, "{drawn}");
        assert_eq!(pairs(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]).spearman(&[1.0; 3]), None);
    }

    #[test]
    fn a_quantile_lies_between_two_values() {
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.5), 2.5);
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 1.0), 4.0);
    }

    /// The interval of a mean of n normal values holds the true mean in about 95 of 100 studies, also for few seeds.
    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        for (seeds, least) in [(5, 82), (20, 88)] {
            let holds = (0..100).filter(|trial| {
                let rng = Rng::new(*trial);
                let mut draws = rng.split("values");
                let values: Vec<f64> = (0..seeds).map(|_| f64::from(draws.normal())).collect();
                let of = |weights: &[f64]| {
                    mean(&values.iter().copied().zip(weights.iter().copied()).collect::<Vec<_>>())
                };
                let found = estimate(seeds, [f64::MIN, f64::MAX], &rng, of).unwrap();
                !found.is_above(0.0) && !found.is_below(0.0)
            });
            let count = holds.count();
            assert!((least..=100).contains(&count), "{seeds} seeds: {count} of 100");
        }
    }

    #[test]
    fn one_seed_has_no_interval() {
        let found = estimate(1, [0.0, 1.0], &Rng::new(0), |_| Some(0.5)).unwrap();
        assert_eq!(found, Estimate { value: 0.5, interval: None });
        assert!(!found.is_above(0.0) && !found.is_below(1.0));
    }
}
