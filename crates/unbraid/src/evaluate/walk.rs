//! Walks along one code: from where to where.

use ndarray::ArrayView1;
use unbraid_measure::representation::Representation;

use crate::error::{Error, Result};

/// The share of the rows left out at each end of a walk between quantiles.
const TAIL: f64 = 0.025;
/// Where the standard normal distribution has the same tails.
const NORMAL: f32 = 1.96;

/// From where to where a code is walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Between the 2.5 % and the 97.5 % quantile of its means over the rows.
    #[default]
    Quantile,
    /// Between the same quantiles of the standard normal prior, -1.96 to 1.96.
    Prior,
    /// From its smallest to its largest mean.
    MinMax,
}

impl Span {
    /// Whether these codes can be walked along it.
    pub fn check(self, codes: &Representation) -> Result<()> {
        match self == Self::Prior && codes.readings.kl.is_none() {
            false => Ok(()),
            true => Err(Error::Unable(
                "this model has no prior to walk along; take --range quantile or min-max".into(),
            )),
        }
    }
}

/// The values of a code at stops that are shares of the way.
pub fn values(code: ArrayView1<f32>, span: Span, stops: &[f32]) -> Vec<f32> {
    let mut sorted = code.to_vec();
    sorted.sort_by(f32::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let (low, high) = match span {
        Span::Quantile => (at(TAIL), at(1.0 - TAIL)),
        Span::Prior => (-NORMAL, NORMAL),
        Span::MinMax => (at(0.0), at(1.0)),
    };
    stops.iter().map(|stop| low + (high - low) * stop).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};
    use unbraid_measure::factors::Factor;

    fn ends(span: Span) -> (f32, f32) {
        // 0 to 200 in a mixed order: its quantiles are numbers of it.
        let code: Array1<f32> = (0..201).map(|i| (i * 7 % 201) as f32).collect();
        let values = values(code.view(), span, &[0.0, 0.25, 0.5, 0.75, 1.0]);
        (values[0], values[4])
    }

    #[test]
    fn each_range_has_its_ends() {
        assert_eq!(ends(Span::Quantile), (5.0, 195.0));
        assert_eq!(ends(Span::Prior), (-1.96, 1.96));
        assert_eq!(ends(Span::MinMax), (0.0, 200.0));
    }

    #[test]
    fn codes_without_a_prior_are_not_walked_along_one() {
        let factors = vec![Factor::continuous("a")];
        let codes = Representation::new(array![[0.0], [1.0]], array![[0.0], [1.0]], factors);
        let mut codes = codes.unwrap();
        let error = Span::Prior.check(&codes).unwrap_err().to_string();
        assert!(error.contains("no prior") && error.contains("--range quantile"), "{error}");
        codes.readings.kl = Some(vec![1.0]);
        assert!(Span::Prior.check(&codes).is_ok());
    }
}
