//! The cards of the versions of InfoMEC.

use super::{Codes, InfoMec, Rules};
use crate::info::Info;

const PAGE: &str = "\
## What it measures

Three properties at once. InfoM, the value: is each code informative about one factor only
(modularity)? InfoE: can a linear classifier tell the factors from the codes (explicitness)? InfoC:
is each factor told by one code only (compactness)?

## How

For each pair of code and factor the mutual information is estimated from the 10 nearest neighbours
(Ross 2014), on standardised codes, and divided by the factor's entropy. A code is active if its
range exceeds a twentieth of the largest range. InfoM: for each active code, its largest information
as a share of its sum over factors; the mean of these, mapped so that equal shares give 0. InfoC:
the same for each factor over active codes. InfoE: logistic regression with balanced classes and
without a penalty tells each factor from all standardised codes; 1 - (its loss) / (loss of guessing)
on the same rows, averaged over factors. Continuous factors are cut into 20 bins of equal width.

## Reading it

From 0 to 1. The parts `infom`, `infoe` and `infoc` are the three scores, `infoe/FACTOR` that of one
factor; `active_codes` says how many codes were kept. The matrix has the information of all codes as
a share of entropy. An active code, or a factor, without any information is left out of its mean
(`codes_without_information` counts these codes); the original returns no number then. With a single
active code InfoC is undefined and left out.

## Cautions

- There are two published pruning rules, and scores with different rules cannot be compared: this
  one keeps codes by their range (QLAE), `infomec-iqr` by their quartiles (Tripod). One outlier in
  one code makes this rule drop good codes; say which one you used.
- InfoM of codes that are noise is not 0: about 0.6 for 4 or 5 factors, whatever the number of rows,
  and lower for more factors. A dense mixture of factors scores below noise. Read it with InfoE.
- InfoM falls if factors are correlated, also for perfect codes.
- InfoE is judged on the rows that it was fitted to: with few rows and many codes noise scores well
  above 0. Where classes can be separated, its value is what 100 steps of L-BFGS reach.
- Codes from a codebook are labels: for these use `infomec-discrete`.
- Fewer than 50 rows, one factor, a constant factor, and codes that are all constant are refused.

## Reference

Hsu, Dorrell, Whittington, Wu and Finn, Disentanglement via Latent Quantization, NeurIPS 2023,
arXiv:2305.18378; Ross, Mutual Information between Discrete and Continuous Data Sets, 2014.";

const PAGE_OF_QUARTILES: &str = "\
## What it measures

As `infomec`: is each code informative about one factor only (InfoM, the value), can a linear
classifier tell the factors (InfoE), and is each factor told by one code only (InfoC)?

## How

As `infomec`, but for the codes that count for InfoM and InfoC: a code is active if its
interquartile range, that of the middle half of the rows, exceeds a tenth of the largest one. If no
code is active, all three scores are 0.

## Reading it

From 0 to 1, with the parts of `infomec`.

## Cautions

- There are two published pruning rules, and scores with different rules cannot be compared. This
  one is that of Tripod. It keeps codes with far outliers, which the rule of QLAE (`infomec`) drops,
  and drops codes that rarely move, which that rule keeps.
- The other cautions of `infomec` hold here too: noise scores about 0.6, and correlated factors
  lower the score of perfect codes.

## Reference

Hsu, Hamid, Burns, Finn and Wu, Tripod: Three Complementary Inductive Biases for Disentangled
Representation Learning, ICML 2024, arXiv:2404.10282.";

const PAGE_OF_LABELS: &str = "\
## What it measures

As `infomec`, for codes that are labels, such as the indices of quantised latents: InfoM, the value,
InfoE and InfoC.

## How

As `infomec`, with each different value of a code as a label: the information is counted and not
estimated from neighbours, and the classifier behind InfoE sees which value each code has. A code is
active if it changes at all.

## Reading it

From 0 to 1, with the parts of `infomec`.

## Cautions

- There are two published pruning rules, and scores with different rules cannot be compared. This
  one is that of QLAE; `infomec-discrete-iqr` is that of Tripod.
- Give indices, or values that are exactly equal where the index is. The output of a
  straight-through quantiser differs in the last digit, and makes labels of its own.
- Counted information is too large by about (labels of code - 1)(labels of factor - 1) / (2 rows).
- The other cautions of `infomec` hold here too. Codes with more than 256 values are refused.

## Reference

Hsu, Dorrell, Whittington, Wu and Finn, Disentanglement via Latent Quantization, NeurIPS 2023,
arXiv:2305.18378.";

const PAGE_OF_LABELS_BY_QUARTILES: &str = "\
## What it measures

As `infomec-discrete`: InfoM, the value, InfoE and InfoC of codes that are labels.

## How

As `infomec-discrete`, but a code is active if its interquartile range exceeds 0.1. If no code is
active, all three scores are 0.

## Reading it

From 0 to 1, with the parts of `infomec`.

## Cautions

- There are two published pruning rules, and scores with different rules cannot be compared. This
  one is that of Tripod; `infomec-discrete` is that of QLAE.
- The limit of 0.1 is absolute, for values between -1 and 1 as Tripod's are. Of indices 0, 1, 2, …
  it prunes only those with three quarters of the rows at one value, or nearly so.
- The other cautions of `infomec` hold here too. Codes with more than 256 values are refused.

## Reference

Hsu, Hamid, Burns, Finn and Wu, Tripod: Three Complementary Inductive Biases for Disentangled
Representation Learning, ICML 2024, arXiv:2404.10282.";

const PAGE_OF_GUARD: &str = "\
## What it measures

As `infomec`: InfoM, the value, InfoE and InfoC.

## How

As `infomec`, with a penalty (C = 1) on the weights of the classifier and the entropy of a factor in
place of the logarithm of its number of labels; scores are clipped to 0 and 1.

## Reading it

From 0 to 1, with the parts of `infomec`.

## Cautions

- InfoE is far below that of the two other versions, also for perfect codes; never mix them.

## Reference

Joshi et al., Who Guards the Guardians?, UAI 2026, PMLR 337.";

/// What a version says about itself.
pub(super) fn info(metric: InfoMec) -> Info {
    let qlae = "Hsu et al., Disentanglement via Latent Quantization, NeurIPS 2023";
    let tripod = "Hsu et al., Tripod, ICML 2024";
    let (name, title, summary, paper, page) = match (metric.rules, metric.codes) {
        (Rules::Qlae, Codes::Continuous) => (
            "infomec",
            "InfoMEC",
            "modularity, explicitness and compactness, from information",
            qlae,
            PAGE,
        ),
        (Rules::Tripod, Codes::Continuous) => (
            "infomec-iqr",
            "InfoMEC (quartiles)",
            "InfoMEC of the codes that are active by Tripod's rule",
            tripod,
            PAGE_OF_QUARTILES,
        ),
        (Rules::Qlae, Codes::Discrete) => (
            "infomec-discrete",
            "InfoMEC (discrete)",
            "InfoMEC of codes that are labels, such as indices of a codebook",
            qlae,
            PAGE_OF_LABELS,
        ),
        (Rules::Tripod, Codes::Discrete) => (
            "infomec-discrete-iqr",
            "InfoMEC (discrete, quartiles)",
            "InfoMEC of labels that are active by Tripod's rule",
            tripod,
            PAGE_OF_LABELS_BY_QUARTILES,
        ),
        (Rules::Guard, _) => (
            "infomec-guard",
            "InfoMEC (guard)",
            "InfoMEC with a penalised classifier",
            "Joshi et al., Who Guards the Guardians?, UAI 2026",
            PAGE_OF_GUARD,
        ),
    };
    Info { name, title, summary, paper, page }
}
