//! JEMMIG (Do and Tran 2020, arXiv:1908.09961): the gap of `mig`, less what the best code knows
//! beside its factor. With z* the discretised code that is most informative about factor v, I₂ the
//! information of the second best, and B bins,
//!
//! ```text
//! JEMMIG = mean over factors of  1 - ( H(v, z*) - I(v; z*) + I₂ ) / ( H(v) + ln B )
//! ```
//!
//! The paper subtracts and does not divide, and integrates over the posterior; this is the form with
//! bins, mapped to 0 to 1, of later code.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each factor has a code of its own that knows nothing but the factor: unlike `mig`, it counts
what the code holds beside it, be it noise or another factor.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. For each factor
take the code that is most informative about it. The joint entropy of both, minus their information,
plus the information of the second best code, is what is too much; it is divided by its largest
value, the factor's entropy plus ln 20, and subtracted from 1. The score is the mean over factors.
Constant factors are refused.

## Reading it

From 0 to 1. 1: each factor has a code that takes one value for each of its values, and no second
code is informative about it. The parts `jemmig/FACTOR` show which factor is found; the matrix has
the information in nats.

## Cautions

- Constant codes score above 0: a code with nothing in it has no noise either. About 0.5 to 0.6 for
  factors with few values; compare a value with that of constant codes, not with 0.
- A code with finer levels than its factor is penalised for them, though they may be harmless.
- It requires one code per factor. An angle stored as its sine and cosine scores low.
- It depends on the number of bins; published values have 10.
- With few rows the information is overestimated, by about (bins - 1)(values - 1) / (2 rows).

## Reference

Do and Tran, Theory and Evaluation Metrics for Learning Disentangled Representations, ICLR 2020,
arXiv:1908.09961.";

/// JEMMIG.
#[derive(Clone, Copy, Debug)]
pub struct Jemmig;

impl Metric for Jemmig {
    fn info(&self) -> Info {
        Info {
            name: "jemmig",
            title: "JEMMIG",
            summary: "does each factor have one code of its own that holds nothing else?",
            paper: "Do and Tran, Theory and Evaluation Metrics, ICLR 2020",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor is told by one code, which tells nothing else";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Matched, Asks::Compact]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        representation.check_rivals()?;
        representation.check_change("jemmig")?;
        let (codes, factors) = (representation.binned_codes(), representation.classes());
        let matrix = information_matrix(&codes, &factors);
        let of_codes: Vec<f64> = codes.iter().map(|column| entropy(column)).collect();
        let most = (representation.protocol.bins as f64).ln();
        let part = |(k, factor): (usize, &Vec<u32>)| {
            let (own, shared) = (entropy(factor), matrix.column(k));
            // Of codes that are equally informative, the one that holds less beside it.
            let better = |i: usize, j: usize| {
                shared[i] > shared[j] || (shared[i] == shared[j] && of_codes[i] < of_codes[j])
            };
            let best = (1..shared.len()).fold(0, |best, j| if better(j, best) { j } else { best });
            let others = shared.iter().enumerate().filter(|(j, _)| *j != best);
            let second = others.fold(0.0, |second: f64, (_, other)| second.max(*other));
            // H(v, z) - I = H(v) + H(z) - 2 I
            let beside = own + of_codes[best] - 2.0 * shared[best];
            let name = format!("jemmig/{}", representation.factors[k].name);
            (name, 1.0 - (beside + second) / (own + most))
        };
        let parts = factors.iter().enumerate().map(part).collect();
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        Jemmig.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn what_a_code_holds_beside_its_factor_is_subtracted() {
        let good = score(&grid([4, 2], 3, |[a, b]| vec![a, b])).unwrap();
        assert!((good.value - 1.0).abs() < 1e-12, "{good:?}");
        // Code 0 holds both: of a, ln 2 too much. b is told by both codes alike, and takes code 1.
        let found = score(&grid([4, 2], 3, |[a, b]| vec![4.0 * b + a, b])).unwrap();
        let of_a = 1.0 - 2f64.ln() / (4f64.ln() + 20f64.ln());
        let of_b = 1.0 - 2f64.ln() / (2f64.ln() + 20f64.ln());
        assert!((found.part("jemmig/a").unwrap() - of_a).abs() < 1e-12, "{found:?}");
        assert!((found.part("jemmig/b").unwrap() - of_b).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn one_code_has_no_rival() {
        let reason = score(&grid([5, 2], 1, |[a, _]| vec![a])).unwrap_err().to_string();
        assert!(reason.starts_with("one code has no rival"), "{reason}");
    }
}
