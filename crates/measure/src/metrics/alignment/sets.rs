//! Which codes belong to which factor, and which factors count.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::Head;
use crate::error::{Error, Result};
use crate::representation::Representation;

/// The smallest divisor, where R² is divided by the factor's best.
const LEAST_BEST: f64 = 0.1;

/// The codes in sets, each code by its place in the order of codes.
#[derive(Debug, PartialEq)]
pub(super) struct Sets {
    /// Those of each head.
    pub(super) own: Vec<Vec<usize>>,
    /// Those that belong to no factor; ψ₀ in CITRIS.
    pub(super) rest: Vec<usize>,
}

impl Sets {
    /// As the method assigned them. Codes of a factor without a head are in no set.
    pub(super) fn given(
        blocks: &[Option<usize>],
        factors: usize,
        codes: &[usize],
        heads: &[Head],
    ) -> Result<Self> {
        if blocks.len() != codes.len() || blocks.iter().flatten().any(|&factor| factor >= factors) {
            return Err(Error::Array(format!(
                "the blocks {blocks:?} do not fit {} codes and {factors} factors; give the number \
                 of a factor, from 0, or none, for each code",
                codes.len()
            )));
        }
        let of = |factor: Option<usize>| {
            (0..codes.len()).filter(|&j| blocks[codes[j]] == factor).collect()
        };
        let own = heads.iter().map(|head| of(Some(head.factor))).collect();
        Ok(Self { own, rest: of(None) })
    }

    /// Each code to the factor that it predicts best, by the R² of each code alone `[codes,
    /// heads]`: relative to the factor's best code (BISCUIT) or as it is (CITRIS).
    pub(super) fn chosen(alone: &Array2<f64>, relative: bool) -> Self {
        let best = |column: ArrayView1<f64>| match relative {
            true => column.iter().fold(LEAST_BEST, |best, r2| best.max(r2.abs())),
            false => 1.0,
        };
        let best: Array1<f64> = alone.map_axis(Axis(0), best);
        let (mut own, mut rest) = (vec![Vec::new(); alone.ncols()], Vec::new());
        for (j, row) in alone.rows().into_iter().enumerate() {
            let share = &row / &best;
            // The first of equals.
            let most =
                (1..share.len()).fold(0, |most, k| if share[k] > share[most] { k } else { most });
            if share[most] > 0.0 {
                own[most].push(j);
            } else {
                rest.push(j);
            }
        }
        Self { own, rest }
    }
}

/// Whether each head is of a factor that the method was to find, where that is known.
pub(super) fn targets(
    representation: &Representation,
    heads: &[Head],
) -> Result<Option<Vec<bool>>> {
    let Some(targets) = &representation.readings.targets else { return Ok(None) };
    let factors = representation.factors.len();
    if targets.len() != factors {
        return Err(Error::Array(format!(
            "the targets {targets:?} do not fit {factors} factors; say for each factor whether it \
             is one"
        )));
    }
    let found: Vec<bool> = heads.iter().map(|head| targets[head.factor]).collect();
    match found.contains(&true) {
        true => Ok(Some(found)),
        false => Err(Error::Missing(
            "no factor that changes is a target; score rows in which targets change".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn codes_choose_by_what_they_tell_compared_with_the_best_code_of_each_factor() {
        let alone = array![
            [0.90, 0.01, 0.00],
            // More of the first factor, but nobody tells as much of the second.
            [0.35, 0.30, 0.00],
            // The third factor has no good code: the 0.02 is compared with 0.1, not with itself.
            [0.45, 0.00, 0.02],
            [-0.1, 0.00, -0.2],
        ];
        let sets = Sets::chosen(&alone, true);
        assert_eq!(sets, Sets { own: vec![vec![0, 2], vec![1], vec![]], rest: vec![3] });
        let plain = Sets::chosen(&alone, false);
        assert_eq!(plain.own, [vec![0, 1, 2], vec![], vec![]]);
    }
}
