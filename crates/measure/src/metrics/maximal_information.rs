//! Maximal and total information coefficient (Reshef et al. 2011, doi:10.1126/science.1205438;
//! Reshef et al. 2016, arXiv:1505.02213 and 1505.02214) of every code with every factor, and
//!
//! ```text
//! mean over factors k of  max over codes j of  MIC(z_j, v_k)
//! ```
//!
//! with the normalised TIC in its place for `tic`. The papers define the coefficients for two
//! columns; CausalVAE (Yang et al. 2021, arXiv:2004.08697) reports them without saying how pairs
//! are aggregated. The mean of the best is our choice.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::{Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::mean;
use crate::stats::mine::{Axis, CharacteristicMatrix, Estimator, Mine, Search};
use crate::watch::Stage;

const PAGE_OF_MIC: &str = "\
## What it measures

Whether each ground-truth factor depends on some code, by a function of any shape.

## How

A grid is laid over the scatter plot of a code and a factor, and the mutual information of its
columns and rows is divided by the most that a grid of that size allows. MIC is the largest quotient
over the grids with at most B = rows^0.6 cells. One axis of a grid has bins of equal numbers of
rows; the cuts of the other are optimised over 15 candidates per column; then the axes are
exchanged, and the better counts. The score is the mean over factors of the largest MIC of any code
with the factor. Neither codes nor factors are discretised into 20 bins first, and equal values stay
together. A constant code or factor has MIC 0 with everything, and a constant factor counts as 0.

## Reading it

From 0 to 1. 1: every factor is a noiseless function of a code. The parts `mic/FACTOR` are the best
codes' MIC; the matrix has all of them, codes by factors. The part `mic of own codes` counts for
each factor only the codes that the model assigns to it, or else one code in the best matching;
which of the two CausalVAE reports is not known.

## Cautions

- Noise does not score 0: the best of many grids always finds something. 500 rows of noise score
  about 0.15, 10,000 about 0.06. See `mic-e` and `tic`, which stay nearer to 0.
- It does not require one code per factor or one factor per code, only some code that depends on the
  factor: duplicates and mixtures are free. Read it beside `mig` or `dci`.
- A function that oscillates often needs more columns than B allows, and scores below 1.
- Only the order of values counts, so a difference in the last digit counts as much as a large one:
  where codes should be equal, rounding errors can be informative about a factor.
- The order of a factor's values matters where it has more than two; for shapes it is arbitrary.
- The time grows as rows^1.2 times codes times factors: 10,000 rows with 10 codes and 5 factors take
  about a second, 100,000 take about 16.

## Reference

Reshef et al., Detecting Novel Associations in Large Data Sets, Science 2011,
doi:10.1126/science.1205438; computed as in minepy (Albanese et al. 2013,
doi:10.1093/bioinformatics/bts707). The mean over factors of the best code is ours.";

const PAGE_OF_TIC: &str = "\
## What it measures

Whether each ground-truth factor depends on some code at all, by a function of any shape.

## How

As `mic`, but all grid sizes count: TIC is the sum of the normalised information of the best grid of
each size, here divided by the number of sizes. The score is the mean over factors of the largest
TIC of any code with the factor. Values are not discretised first; a constant code or factor has TIC
0 with everything, and a constant factor counts as 0.

## Reading it

From 0 to 1, and lower than `mic`: coarse grids miss much of a winding curve. The parts `tic/FACTOR`
are the best codes' TIC; the matrix has all of them, codes by factors.

## Cautions

- It is a test statistic of dependence, for which it needs fewer rows than `mic`. As a measure of
  how strong a dependence is, it depends on the shape of the curve.
- It does not require one code per factor or one factor per code, only some code that depends on the
  factor. Read it beside `mig` or `dci`.
- Its value depends on the number of rows, which sets the sizes of grids: compare equal numbers.
- The order of a factor's values matters where it has more than two; for shapes it is arbitrary.
- The time grows as rows^1.2 times codes times factors, as that of `mic`.

## Reference

Reshef et al., An Empirical Study of Leading Measures of Dependence, 2015, arXiv:1505.02214;
computed as in minepy (Albanese et al. 2013, doi:10.1093/bioinformatics/bts707). The mean over
factors of the best code is ours.";

const PAGE_OF_MIC_E: &str = "\
## What it measures

Whether each ground-truth factor depends on some code, by a function of any shape.

## How

As `mic`, with fewer grids: only the cuts of the axis with fewer bins are optimised, the other has
bins of equal numbers of rows. This makes it a consistent estimator of the population MIC, and takes
less time.

## Reading it

From 0 to 1, and a little below `mic`, less so with more rows. 1: every factor is a noiseless
function of a code. The parts `mic-e/FACTOR` are the best codes' MIC_e; the matrix has all of them,
codes by factors.

## Cautions

- Noise does not score 0, but nearer to it than with `mic`.
- It does not require one code per factor or one factor per code, only some code that depends on the
  factor: duplicates and mixtures are free. Read it beside `mig` or `dci`.
- A factor of few values cannot be cut into bins of equal numbers of rows. Bins then hold one value
  or several, and the score may stay below 1 although the code determines every value.
- The order of a factor's values matters where it has more than two; for shapes it is arbitrary.
- The time grows as rows^1.2 times codes times factors, and is about half that of `mic`.

## Reference

Reshef et al., Measuring Dependence Powerfully and Equitably, JMLR 2016, arXiv:1505.02213; computed
as in minepy (Albanese et al. 2013, doi:10.1093/bioinformatics/bts707). The mean over factors of the
best code is ours.";

const PAGE_OF_TIC_E: &str = "\
## What it measures

Whether each ground-truth factor depends on some code at all, by a function of any shape.

## How

As `tic`, with the grids of `mic-e`: only the cuts of the axis with fewer bins are optimised, and
the normalised information of the best grid of each size is averaged over all sizes. The score is
the mean over factors of the largest TIC_e of any code with the factor.

## Reading it

From 0 to 1, and lower than `mic-e`. The parts `tic-e/FACTOR` are the best codes' TIC_e; the matrix
has all of them, codes by factors.

## Cautions

- It is a test statistic of dependence. As a measure of how strong a dependence is, it depends on
  the shape of the curve.
- It does not require one code per factor or one factor per code, only some code that depends on the
  factor. Read it beside `mig` or `dci`.
- Its value depends on the number of rows, which sets the sizes of grids: compare equal numbers.
- The order of a factor's values matters where it has more than two; for shapes it is arbitrary.
- The time grows as rows^1.2 times codes times factors, as that of `mic-e`.

## Reference

Reshef et al., Measuring Dependence Powerfully and Equitably, JMLR 2016, arXiv:1505.02213; computed
as in minepy (Albanese et al. 2013, doi:10.1093/bioinformatics/bts707). The mean over factors of the
best code is ours.";

/// MIC or TIC.
#[derive(Clone, Copy, Debug)]
pub struct MaximalInformation {
    /// Which grids are tried.
    pub search: Search,
    /// The statistic of the characteristic matrix.
    pub statistic: Statistic,
}

/// A statistic of the characteristic matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Its largest entry.
    Mic,
    /// The mean of its entries.
    Tic,
}

use Estimator::{Approximate, Equicharacteristic};
use Statistic::{Mic, Tic};

impl MaximalInformation {
    /// With the settings of 2011: `mic`.
    pub const MIC: Self = Self { search: Search::published(Approximate), statistic: Mic };
    /// From the same grids: `tic`.
    pub const TIC: Self = Self { search: Search::published(Approximate), statistic: Tic };
    /// With the estimate of 2016: `mic-e`.
    pub const MIC_E: Self = Self { search: Search::published(Equicharacteristic), statistic: Mic };
    /// From the same grids: `tic-e`.
    pub const TIC_E: Self = Self { search: Search::published(Equicharacteristic), statistic: Tic };

    fn read(&self, matrix: &CharacteristicMatrix) -> f64 {
        match self.statistic {
            Mic => matrix.mic(),
            Tic => matrix.normalised_tic(),
        }
    }
}

impl Metric for MaximalInformation {
    fn info(&self) -> Info {
        let best = "maximal information coefficient: is each factor a function of some code?";
        let best_e = "the same, estimated consistently from fewer grids";
        let total = "total information coefficient: does each factor depend on some code?";
        let total_e = "the same, from the grids of `mic-e`";
        let (name, title, summary, page) = match (self.search.estimator, self.statistic) {
            (Approximate, Mic) => ("mic", "MIC", best, PAGE_OF_MIC),
            (Approximate, Tic) => ("tic", "TIC", total, PAGE_OF_TIC),
            (Equicharacteristic, Mic) => ("mic-e", "MIC_e", best_e, PAGE_OF_MIC_E),
            (Equicharacteristic, Tic) => ("tic-e", "TIC_e", total_e, PAGE_OF_TIC_E),
        };
        let paper = match (self.search.estimator, self.statistic) {
            (Approximate, Mic) => "Reshef et al., Detecting Novel Associations, Science 2011",
            _ => "Reshef et al., Measuring Dependence Powerfully and Equitably, JMLR 2016",
        };
        Info { name, title, summary, paper, page }
    }

    fn reading(&self) -> Reading {
        let line = match self.statistic {
            Mic => "each factor is told by some code without noise",
            Tic => "each factor is told by some code on grids of every size",
        };
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        let mine = Mine::new(self.search, representation.rows())?;
        let codes = axes(representation.codes.view());
        let factors = axes(representation.values.view());
        if factors.is_empty() {
            return Err(Error::Missing("these codes come without factor values".into()));
        }
        let shape = (codes.len(), factors.len());
        let pairs = codes.len() * factors.len();
        let entry = |pair: usize| {
            let (code, factor) = (&codes[pair / factors.len()], &factors[pair % factors.len()]);
            let advance = |share: f64| watch.advance(share / pairs as f64);
            mine.search(code, factor, &advance).map(|matrix| self.read(&matrix))
        };
        let entries: Result<Vec<f64>> = (0..pairs).into_par_iter().map(entry).collect();
        let matrix = Array2::from_shape_vec(shape, entries?).expect("an entry for each pair");
        let best = matrix.columns().into_iter().map(|column| column.fold(0.0, |a, b| b.max(a)));
        let name = self.info().name;
        let parts: Vec<(String, f64)> = (representation.factors.iter().zip(best))
            .map(|(factor, best)| (format!("{name}/{}", factor.name), best))
            .collect();
        let own = own(&matrix, representation.readings.blocks.as_deref());
        let mut score = Score::mean_of(parts, Some(matrix));
        score.parts.push((format!("{name} of own codes"), own));
        Ok(score)
    }
}

/// The mean over factors of the best of its own codes: those that a model assigns to it, else the
/// one it has in the best matching of one code to one factor.
fn own(matrix: &Array2<f64>, blocks: Option<&[Option<usize>]>) -> f64 {
    let factors = matrix.ncols();
    let mut best = vec![0f64; factors];
    match blocks.filter(|blocks| blocks.len() == matrix.nrows()) {
        Some(blocks) => {
            for (code, factor) in blocks.iter().enumerate() {
                if let Some(factor) = factor.filter(|factor| *factor < factors) {
                    best[factor] = best[factor].max(matrix[[code, factor]]);
                }
            }
        }
        None => {
            for (code, factor) in best_matching(matrix.view()) {
                best[factor] = matrix[[code, factor]];
            }
        }
    }
    mean(best)
}

fn axes(columns: ArrayView2<f32>) -> Vec<Axis> {
    columns.columns().into_iter().map(Axis::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;

    fn score(metric: MaximalInformation, codes: Array2<f32>, values: Array2<f32>) -> Score {
        let factors = (0..values.ncols()).map(|k| Factor::continuous(format!("f{k}"))).collect();
        let representation = Representation::new(codes, values, factors).unwrap();
        metric.score(&representation, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn the_best_code_of_each_factor_counts_and_a_constant_factor_counts_as_nothing() {
        let values = Array2::from_shape_fn((144, 3), |(row, k)| {
            [(row / 12) as f32, (row % 12) as f32, 4.0][k]
        });
        // Code 0 is a curve over factor 1, code 1 is factor 0 upside down, code 2 never changes.
        let codes = Array2::from_shape_fn((144, 3), |(row, j)| {
            [values[[row, 1]].exp(), -values[[row, 0]], 7.0][j]
        });
        for metric in [MaximalInformation::MIC, MaximalInformation::MIC_E] {
            let score = score(metric, codes.clone(), values.clone());
            let names: Vec<&str> = score.parts.iter().map(|(name, _)| name.as_str()).collect();
            let name = metric.info().name;
            let own = format!("{name} of own codes");
            let each = [0, 1, 2].map(|k| format!("{name}/f{k}"));
            assert_eq!(names, [&each[..], &[own]].concat());
            // Matched one to one, codes 0 and 1 have a factor each and code 2 has the still one.
            assert!((score.parts[3].1 - 2.0 / 3.0).abs() < 1e-9, "{:?}", score.parts);
            assert!((score.value - 2.0 / 3.0).abs() < 1e-9, "{}", score.value);
            let matrix = score.matrix.unwrap();
            assert!(matrix[[0, 1]] > 0.999 && matrix[[1, 0]] > 0.999 && matrix[[0, 0]] < 1e-9);
            assert_eq!(matrix.row(2).sum() + matrix.column(2).sum(), 0.0);
        }
    }

    #[test]
    fn own_codes_are_those_that_the_model_names() {
        let values = Array2::from_shape_fn((144, 2), |(row, k)| [row / 12, row % 12][k] as f32);
        let factors = vec![Factor::continuous("a"), Factor::continuous("b")];
        let own = |blocks: Option<[usize; 2]>| {
            let mut codes =
                Representation::new(values.clone(), values.clone(), factors.clone()).unwrap();
            codes.readings.blocks = blocks.map(|blocks| blocks.map(Some).to_vec());
            let score =
                MaximalInformation::MIC.score(&codes, &mut Rng::new(0), &Stage::unwatched());
            score.unwrap().parts[2].1
        };
        assert!(own(None) > 0.999 && own(Some([0, 1])) > 0.999);
        assert!(own(Some([1, 0])) < 1e-9, "the code of the other factor tells nothing");
        assert!((own(Some([0, 0])) - 0.5).abs() < 1e-3, "a factor without codes counts as nothing");
    }

    #[test]
    fn the_total_is_below_the_best_and_nearer_to_nothing_for_noise() {
        let mut rng = Rng::new(0);
        let values = Array2::from_shape_simple_fn((300, 1), || rng.normal());
        let noise = Array2::from_shape_simple_fn((300, 1), || rng.normal());
        let best = score(MaximalInformation::MIC, noise.clone(), values.clone()).value;
        let total = score(MaximalInformation::TIC, noise, values).value;
        assert!(0.0 < total && 2.0 * total < best && best < 0.3, "{total}, {best}");
    }
}
