# Written by `cargo xtask docs`: one function per metric, as `_functions.function_of` makes them.
from collections.abc import Iterable, Sequence

import numpy.typing as npt

from ._errors import ArrayError, Error, MissingError, SettingError, UnknownError
from ._functions import Progress, metrics, score
from ._native import __version__
from ._scores import Score, Scores
from ._table import Blocks, Factors

__all__ = [
    "ArrayError",
    "Error",
    "MissingError",
    "Score",
    "Scores",
    "SettingError",
    "UnknownError",
    "__version__",
    "metrics",
    "score",
    "beta_vae_score",
    "higgins_score",
    "factor_vae_score",
    "mig",
    "mig_continuous",
    "aam",
    "dci",
    "sap",
    "sap_continuous",
    "modularity",
    "explicitness",
    "irs",
    "unified",
    "mcc",
    "mcc_spearman",
    "alignment",
    "mic",
    "tic",
    "mic_e",
    "tic_e",
    "downstream_lr",
    "downstream_gbt",
    "fairness",
    "total_correlation",
    "wasserstein",
    "mutual_info",
    "udr",
    "udr_spearman",
    "shd",
    "infomec",
    "infomec_iqr",
    "infomec_discrete",
    "infomec_discrete_iqr",
    "r2",
    "r2_nonlinear",
    "mcc_coverage",
    "mcc_crossfit",
    "dci_regression",
    "t_mex",
    "dci_es",
    "dcimig",
    "mig_sup",
    "jemmig",
]

def beta_vae_score(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """do differences of codes predict which factor two observations share?"""

def higgins_score(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """the beta-VAE metric with the original paper's Adagrad-trained classifier"""

def factor_vae_score(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """does the code with the least variance predict which factor was fixed?"""

def mig(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mutual information gap: does each factor have one code of its own?"""

def mig_continuous(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mutual information gap by nearest neighbours, without bins"""

def aam(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """axis alignment: is the information about each factor in one code?"""

def dci(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """disentanglement, completeness and informativeness, by boosted trees"""

def sap(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """can each factor be predicted from one code, and from no other?"""

def sap_continuous(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """is each factor a linear function of one code alone?"""

def modularity(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """is each code informative about one factor only?"""

def explicitness(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """can a linear classifier predict the value of each factor from the codes?"""

def irs(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """interventional robustness: does each code follow one factor whatever the others do?"""

def unified(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """DCI, MIG, SAP and modularity of one matrix, the mutual information"""

def mcc(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mean correlation of codes and factors, matched one to one"""

def mcc_spearman(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mean rank correlation of codes and factors, matched one to one"""

def alignment(
    codes: npt.ArrayLike,
    factors: Factors,
    blocks: Blocks | None = None,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """how well each set of codes predicts its factor, and the others"""

def mic(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """maximal information coefficient: is each factor a function of some code?"""

def tic(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """total information coefficient: does each factor depend on some code?"""

def mic_e(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """the same, estimated consistently from fewer grids"""

def tic_e(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """the same, from the grids of `mic-e`"""

def downstream_lr(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """how well does logistic regression predict factors, and from how few rows?"""

def downstream_gbt(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """how well do boosted trees predict factors, and from how few rows?"""

def fairness(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """do predictions of one factor depend on the other factors?"""

def total_correlation(
    codes: npt.ArrayLike,
    *,
    seed: int = 0,
    bins: int = 20,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """Gaussian total correlation of the codes, in nats"""

def wasserstein(
    codes: npt.ArrayLike,
    *,
    seed: int = 0,
    bins: int = 20,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """Gaussian 2-Wasserstein distance of the codes from uncorrelated ones"""

def mutual_info(
    codes: npt.ArrayLike,
    *,
    seed: int = 0,
    bins: int = 20,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mean mutual information of pairs of codes, in nats"""

def udr(
    models: Iterable[npt.ArrayLike],
    kl: Iterable[npt.ArrayLike] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Score:
    """do models with other seeds learn the same codes?"""

def udr_spearman(
    models: Iterable[npt.ArrayLike],
    kl: Iterable[npt.ArrayLike] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Score:
    """do models with other seeds learn codes of the same order?"""

def shd(
    learned: npt.ArrayLike,
    true: npt.ArrayLike,
) -> Score:
    """how many edges of the learned graph are missing, extra or reversed"""

def infomec(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """modularity, explicitness and compactness, from information"""

def infomec_iqr(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """InfoMEC of the codes that are active by Tripod's rule"""

def infomec_discrete(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """InfoMEC of codes that are labels, such as indices of a codebook"""

def infomec_discrete_iqr(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """InfoMEC of labels that are active by Tripod's rule"""

def r2(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """are the factors linear functions of all codes together?"""

def r2_nonlinear(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """can trees predict the factors from all codes?"""

def mcc_coverage(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mean correlation over all factors; one without a code counts as zero"""

def mcc_crossfit(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """mean correlation of codes and factors, on rows that did not match them"""

def dci_regression(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """DCI of factors that are numbers, by boosted regression trees"""

def t_mex(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """does each code depend on one factor only, by tests?"""

def dci_es(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """explicitness and size: how simple a predictor reads the factors?"""

def dcimig(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """does each factor have a code that is about it alone?"""

def mig_sup(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """is each code informative about one factor only, and fully so?"""

def jemmig(
    codes: npt.ArrayLike,
    factors: Factors,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    progress: Progress | None = None,
) -> Score:
    """does each factor have one code of its own that holds nothing else?"""
