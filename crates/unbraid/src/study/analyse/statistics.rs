//! The statistics of the analyses, each with its definition.

use std::collections::HashMap;
use std::hash::Hash;

use unbraid_measure::rng::Rng;

/// Studies that are drawn for an interval.
const DRAWS: usize = 500;

/// The share of the variance of values that groups explain, R² = 1 - SS within / SS total, and the same adjusted for
/// the number of groups, 1 - (1 - R²)(n - 1)/(n - g). Nothing where values do not vary, or there is a group for each.
pub(crate) fn explained<G: Eq + Hash + Copy>(values: &[(G, f64)]) -> Option<[f64; 2]> {
    let mut groups: HashMap<G, (f64, f64)> = HashMap::new();
    for (group, value) in values {
        let sum = groups.entry(*group).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    let count = values.len() as f64;
    let mean = values.iter().map(|(_, value)| value).sum::<f64>() / count;
    let total: f64 = values.iter().map(|(_, value)| (value - mean).powi(2)).sum();
    let of_group = |group: &G| {
        let (sum, count) = groups[group];
        sum / count
    };
    let within: f64 = values.iter().map(|(group, value)| (value - of_group(group)).powi(2)).sum();
    let free = count - groups.len() as f64;
    if total <= 0.0 || free <= 0.0 {
        return None;
    }
    let share = 1.0 - within / total;
    Some([share, 1.0 - (1.0 - share) * (count - 1.0) / free])
}

/// Ranks from 1; equal values share the mean of theirs.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = |k: &&usize| values[**k] == values[order[start]];
        let end = start + order[start..].iter().take_while(same).count();
        for k in &order[start..end] {
            ranks[*k] = (start + end + 1) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Spearman's rank correlation; nothing for fewer than three pairs or a constant.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let [x, y] = [pairs.iter().map(|p| p.0).collect::<Vec<_>>(), pairs.iter().map(|p| p.1).collect()]
        .map(|values| ranks(&values));
    let middle = (pairs.len() + 1) as f64 / 2.0;
    let product = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>()
    };
    let (xx, yy) = (product(&x, &x), product(&y, &y));
    (xx > 0.0 && yy > 0.0).then(|| product(&x, &y) / (xx * yy).sqrt())
}

/// The chance that a value of one list is above a value of the other; equal ones count half.
pub(crate) fn beats(one: &[f64], other: &[f64]) -> Option<f64> {
    let mut sum = 0.0;
    for a in one {
        for b in other {
            sum += f64::from(u8::from(a > b)) + 0.5 * f64::from(u8::from(a == b));
        }
    }
    (!one.is_empty() && !other.is_empty()).then(|| sum / (one.len() * other.len()) as f64)
}

/// A quantile of values, between two of them in proportion.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    below + (sorted[place.ceil() as usize] - below) * place.fract()
}

/// The middle 95 % of a statistic over studies whose seeds are drawn from these with replacement. Each drawn seed
/// counts as one more, also if it was drawn before: the statistic gets the seeds with repeats.
pub(crate) fn interval(
    seeds: &[i64],
    rng: &Rng,
    statistic: impl Fn(&[i64]) -> Option<f64>,
) -> Option<[f64; 2]> {
    if seeds.len() < 2 {
        return None;
    }
    let draw = |k: usize| {
        let mut rng = rng.at(k as u64);
        let drawn: Vec<i64> = seeds.iter().map(|_| seeds[rng.below(seeds.len())]).collect();
        statistic(&drawn)
    };
    let found: Vec<f64> = (0..DRAWS).filter_map(draw).collect();
    (found.len() > DRAWS / 2).then(|| [quantile(&found, 0.025), quantile(&found, 0.975)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_explained_is_that_of_the_definition() {
        // Means 1 and 3, total 10 around 2, within 2: R² = 0.8; n = 8, g = 2: 1 - 0.2 · 7/6.
        let values = [(0, 0.5), (0, 1.5), (0, 0.5), (0, 1.5), (1, 2.5), (1, 3.5), (1, 2.5), (1, 3.5)];
        let [share, adjusted] = explained(&values).unwrap();
        assert!((share - 0.8).abs() < 1e-12, "{share}");
        assert!((adjusted - (1.0 - 0.2 * 7.0 / 6.0)).abs() < 1e-12, "{adjusted}");
        assert_eq!(explained(&[(0, 1.0), (1, 2.0)]), None);
        assert_eq!(explained(&[(0, 1.0), (0, 1.0), (1, 1.0)]), None);
    }

    #[test]
    fn ranks_share_ties_and_correlate() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        let line: Vec<(f64, f64)> = (0..9).map(|k| (f64::from(k), f64::from(k).exp())).collect();
        assert!((spearman(&line).unwrap() - 1.0).abs() < 1e-12);
        // 1 - 6 Σd²/(n(n² - 1)) with d = 1, 1, 0, 0: 1 - 12/60.
        let swapped = [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (4.0, 4.0)];
        assert!((spearman(&swapped).unwrap() - 0.8).abs() < 1e-12);
        assert_eq!(spearman(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]), None);
    }

    #[test]
    fn one_list_beats_another_by_pairs() {
        assert_eq!(beats(&[1.0, 3.0], &[2.0, 3.0]), Some((1.0 + 0.5) / 4.0));
        assert_eq!(beats(&[], &[1.0]), None);
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.5), 2.5);
    }
}
