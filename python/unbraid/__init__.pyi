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
    "mig",
    "factor_vae_score",
    "mcc",
    "mcc_spearman",
]

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
    """does the code that varies least tell which factor was held fixed?"""

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
