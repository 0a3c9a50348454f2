//! Mean correlation coefficient (Hyvärinen and Morioka 2016, arXiv:1605.06336; as used for iVAE,
//! Khemakhem et al. 2020, arXiv:1907.04809): with r the correlation of code j and factor k,
//!
//! ```text
//! MCC = max over one-to-one matchings m of  mean over pairs (j, k) in m of |r(z_j, v_k)|
//! ```
//!
//! Ranks of equal values are averaged. iVAE's PyTorch branch sorts instead, which is no rank
//! correlation, and is not followed.

use ndarray::ArrayView2;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::correlation::{pearson, spearman};
use crate::stats::is_constant;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor is a linear function of one code, with a different code for each.

## How

Pearson's absolute correlation of every code with every factor. Codes and factors are then matched
one to one so that the sum of correlations is largest (linear assignment); MCC is the mean over the
matched pairs. If there are more codes than factors (or fewer), the rest stays unmatched and does
not count. Constant factors are refused.

## Reading it

From 0 to 1. 1: the codes are the factors up to permutation, sign, scale and shift. Unrelated codes
score near 0, and higher the more codes there are to choose from. The parts `mcc/FACTOR` are the
correlations of the matched pairs; the matrix has all of them, with their signs.

## Cautions

- Two factors rotated by 45 degrees still score 0.71: compare a value with that, not with 0.
- A code that is a nonlinear function of its factor scores below 1; see `mcc-spearman`.
- Unmatched codes are free: duplicates and noise beside the right codes cost nothing.
- The values of a factor must be ordinal. For a factor such as shape (square, ellipse, heart) their
  order is arbitrary, and so is the correlation with it.
- A constant code has no correlation; leave it out of the array to score the others.

## Reference

Hyvärinen and Morioka, Unsupervised Feature Extraction by Time-Contrastive Learning and Nonlinear
ICA, 2016, arXiv:1605.06336; Khemakhem et al., Variational Autoencoders and Nonlinear ICA, 2020,
arXiv:1907.04809.";

const PAGE_OF_RANKS: &str = "\
## What it measures

Whether each ground-truth factor is a monotonic function of one code, with a different code for
each.

## How

As `mcc`, with Spearman's correlation in place of Pearson's: values are replaced by their ranks
first, and equal values share the mean of their ranks.

## Reading it

From 0 to 1. 1: each factor has a code with the same order of rows, or the reverse order. A value
well above that of `mcc` says that codes are nonlinear functions of factors.

## Cautions

- Two factors rotated by 45 degrees still score about 0.7: compare a value with that, not with 0.
- A factor with few values has many equal ranks, so a noisy code cannot reach 1 even if it never
  confuses two values.
- The values of a factor must be ordinal; for shapes or colours their order is arbitrary.
- A constant code has no correlation; leave it out of the array to score the others.

## Reference

Khemakhem, Kingma, Monti and Hyvärinen, Variational Autoencoders and Nonlinear ICA, 2020,
arXiv:1907.04809.";

/// Mean correlation coefficient.
#[derive(Clone, Copy, Debug)]
pub struct Mcc {
    /// Whether to correlate ranks (Spearman) in place of values (Pearson).
    pub ranks: bool,
}

impl Mcc {
    /// With Pearson's correlation: `mcc`.
    pub const PEARSON: Self = Self { ranks: false };
    /// With Spearman's correlation: `mcc-spearman`.
    pub const SPEARMAN: Self = Self { ranks: true };
}

impl Metric for Mcc {
    fn info(&self) -> Info {
        let (name, title, summary, page) = if self.ranks {
            let summary = "mean rank correlation of codes and factors, matched one to one";
            ("mcc-spearman", "MCC (Spearman)", summary, PAGE_OF_RANKS)
        } else {
            let summary = "mean correlation of codes and factors, matched one to one";
            ("mcc", "MCC", summary, PAGE)
        };
        let paper = "Hyvärinen and Morioka, Time-Contrastive Learning, NeurIPS 2016";
        Info { name, title, summary, paper, page }
    }

    fn reading(&self) -> Reading {
        let line = match self.ranks {
            false => "each factor lies on a line over one code",
            true => "each factor rises or falls with one code",
        };
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn asks(&self) -> &'static [Asks] {
        match self.ranks {
            true => &[Asks::Matched],
            false => &[Asks::Matched, Asks::Linear],
        }
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        representation.check_change(self.info().name)?;
        check_codes(representation.codes.view())?;
        let (codes, values) = (representation.codes.view(), representation.values.view());
        let correlation = if self.ranks { spearman(codes, values) } else { pearson(codes, values) };
        let strength = correlation.mapv(f64::abs);
        let mut pairs = best_matching(strength.view());
        pairs.sort_unstable_by_key(|&(_, k)| k);
        let part = |&(j, k): &(usize, usize)| {
            let factor = &representation.factors[k].name;
            (format!("{}/{factor}", self.info().name), strength[[j, k]])
        };
        Ok(Score::mean_of(pairs.iter().map(part).collect(), Some(correlation)))
    }
}

/// Refuse a constant code: it has no correlation.
fn check_codes(codes: ArrayView2<f32>) -> Result<()> {
    match codes.columns().into_iter().position(is_constant) {
        None => Ok(()),
        Some(j) => Err(Error::Missing(format!(
            "code {j} is the same in every row, so it has no correlation with anything; leave \
             this column out to score the other codes"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use ndarray::{Array2, array};

    fn representation(codes: Array2<f32>, values: Array2<f32>) -> Representation<'static> {
        let factors = (0..values.ncols()).map(|k| Factor::continuous(format!("f{k}"))).collect();
        Representation::new(codes, values, factors).unwrap()
    }

    #[test]
    fn a_curve_is_perfect_by_rank_only() {
        let values = array![[0.0], [1.0], [2.0], [3.0]];
        let curve = representation(values.mapv(|value: f32| -(3.0 * value).exp()), values);
        let by_rank = Mcc::SPEARMAN.score(&curve, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let by_line = Mcc::PEARSON.score(&curve, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        assert!((by_rank.value - 1.0).abs() < 1e-12);
        assert!(by_line.value < 0.9);
        assert_eq!(by_rank.parts[0].0, "mcc-spearman/f0");
        assert!((by_rank.matrix.unwrap()[[0, 0]] + 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_code_that_never_changes_is_refused_with_its_number() {
        let codes = array![[0.0, 0.1], [1.0, 0.1]];
        let constant = representation(codes, array![[0.0], [1.0]]);
        let error =
            Mcc::PEARSON.score(&constant, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(error.to_string().starts_with("code 1 is the same in every row"), "{error}");
    }
}
