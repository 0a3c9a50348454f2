"""The functions of the package: `score`, and one per metric, made from the registry."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _native
from ._documents import document
from ._errors import ArrayError, SettingError
from ._scores import Score, Scores
from ._table import Blocks, Factors, Table, matrix, table

Progress: TypeAlias = Callable[[str, float], object]


@dataclass
class Options:
    """How to score, as `_native.score` reads it."""

    metrics: list[str]
    seed: int = 0
    bins: int = 20
    train_rows: int | None = None
    test_rows: int | None = None
    bootstrap: int = 0


def score(
    codes: npt.ArrayLike,
    factors: Factors | None = None,
    metrics: str | Iterable[str] = "all",
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
    blocks: Blocks | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Judge a representation with many metrics.

    A metric that cannot be computed on these data has the value None and a reason; the others are
    not affected. Equal arrays and an equal seed give the numbers of ``unbraid score``.

    Parameters
    ----------
    codes : array_like, shape (rows, latents)
        The representation: a row per observation, a column per code. Anything that NumPy reads,
        a torch tensor or a data frame too; float32 in C order is not copied.
    factors : array_like, shape (rows, factors), or dict, or data frame
        The true values of the same rows: integers, floats or words. Whole numbers and words are
        classes; floats are, if they repeat. A dict of columns, or a data frame, brings the names of
        the factors and lets each be of its own kind. None, if all there is are codes.
    metrics : str or iterable of str, default "all"
        Names of metrics, see `metrics`; "all" is all of them.
    names : sequence of str, optional
        The names of the factors, where `factors` has none.
    seed : int, default 0
        The seed of whatever is drawn at random.
    bins : int, default 20
        How many bins of equal width a column without a list of values is cut into.
    train_rows, test_rows : int, optional
        The first rows teach a predictor and the last judge it, for metrics that train one; the
        others look at the first rows alone. If one is left out, it is the rest; if both are, a
        random two thirds teach.
    bootstrap : int, default 0
        How many times to resample the rows for an interval; 0 for none.
    blocks : sequence, optional
        The factor of each code, by name or by number from 0, None for a code without one; for
        `alignment`, which otherwise assigns the codes itself.
    progress : callable, optional
        Called as ``progress(metric, share)`` about twenty times a second, and once when a metric is
        done; a share of 1 is all of it.

    Returns
    -------
    Scores
        A mapping from the name of each metric to its `Score`, in the order asked. Printed, it is a
        table.

    Raises
    ------
    ArrayError
        If an array has the wrong shape or type, or holds NaN or infinity.
    UnknownError
        If there is no metric of that name.
    SettingError
        If an option is out of range.

    Examples
    --------
    >>> import numpy as np, unbraid
    >>> factors = np.random.default_rng(0).integers(0, 4, (1000, 2))
    >>> scores = unbraid.score(factors @ [[1.0, 0.5], [0.0, 1.0]], factors, ["mig", "mcc"])
    >>> float(scores["mcc"]) > 0.9
    True
    """
    options = _options(metrics, seed, bins, train_rows, test_rows, bootstrap)
    data = table(codes, factors, names, blocks)
    outcomes, warnings, json = _native.score(data, options, progress)
    return Scores([_score(outcome) for outcome in outcomes], warnings, json)


def metrics() -> list[tuple[str, str]]:
    """The name of every metric and what it asks, in one line each.

    Returns
    -------
    list of tuple of str
        Pairs of name and summary, in the order of the docs.
    """
    return [(entry["name"], entry["summary"]) for entry in _native.metrics()]


def function_of(entry: dict[str, str]) -> Callable[..., Score]:
    """The function of one metric, by what the metric needs."""
    name = entry["name"]

    def of_factors(
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
        options = _options(name, seed, bins, train_rows, test_rows, bootstrap)
        return _one(table(codes, factors, names), options, progress)

    def of_blocks(
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
        options = _options(name, seed, bins, train_rows, test_rows, bootstrap)
        return _one(table(codes, factors, names, blocks), options, progress)

    def of_codes(
        codes: npt.ArrayLike,
        *,
        seed: int = 0,
        bins: int = 20,
        bootstrap: int = 0,
        progress: Progress | None = None,
    ) -> Score:
        return _one(table(codes), _options(name, seed, bins, bootstrap=bootstrap), progress)

    def of_models(
        models: Iterable[npt.ArrayLike],
        kl: Iterable[npt.ArrayLike] | None = None,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Score:
        return _one(_models(models, kl), _options(name, seed), progress)

    def of_graphs(learned: npt.ArrayLike, true: npt.ArrayLike) -> Score:
        return _one(_graphs(learned, true), _options(name), None)

    by_needs: dict[str, Callable[..., Score]] = {
        "factors": of_factors,
        "split": of_factors,
        "codes": of_codes,
        "siblings": of_models,
        "graphs": of_graphs,
    }
    # The one metric that may be told which code belongs to which factor.
    function = of_blocks if name == "alignment" else by_needs[entry["needs"]]
    function.__name__ = function.__qualname__ = name.replace("-", "_")
    function.__module__ = "unbraid"
    function.__doc__ = document(entry, function, score)
    return function


def _one(table: Table, options: Options, progress: Progress | None) -> Score:
    """The score of the one metric asked for; why there is none is an exception."""
    ((outcome,), _, _) = _native.score(table, options, progress)
    if outcome["error"] is not None:
        raise outcome["error"]
    return _score(outcome)


def _score(outcome: dict[str, Any]) -> Score:
    return Score(**{key: field for key, field in outcome.items() if key != "error"})


def _options(
    metrics: str | Iterable[str],
    seed: int = 0,
    bins: int = 20,
    train_rows: int | None = None,
    test_rows: int | None = None,
    bootstrap: int = 0,
) -> Options:
    names = metrics.split(",") if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(name, str) for name in names):
        raise SettingError(f"setting `metrics` is {metrics!r}; give names, as in ['mig', 'mcc']")
    return Options(
        # Functions are named with underscores, metrics with hyphens.
        metrics=[name.replace("_", "-") for name in names],
        seed=_whole("seed", seed, 0, most=2**64 - 1),
        bins=_whole("bins", bins, 1, most=65_536),
        train_rows=None if train_rows is None else _whole("train_rows", train_rows, 1),
        test_rows=None if test_rows is None else _whole("test_rows", test_rows, 1),
        bootstrap=_whole("bootstrap", bootstrap, 0),
    )


def _whole(name: str, value: SupportsIndex, least: int, most: int = 2**63 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise SettingError(f"setting `{name}` is {value!r}; it must be a whole number") from None
    if not least <= number <= most:
        raise SettingError(f"setting `{name}` is {number}; it must be from {least} to {most}")
    return number


def _models(models: Iterable[npt.ArrayLike], kl: Iterable[npt.ArrayLike] | None) -> Table:
    """The first model's codes, and the others as its siblings."""
    codes = [matrix(f"codes of model {i}", model) for i, model in enumerate(models)]
    if len(codes) < 2:
        raise ArrayError(f"{len(codes)} models are given; a comparison needs two or more")
    for i, other in enumerate(codes):
        if len(other) != len(codes[0]):
            raise ArrayError(
                f"model 0 has {len(codes[0])} rows and model {i} has {len(other)}; "
                "row i of all must be the same observation"
            )
    divergences: list[list[float] | None] = [None] * len(codes)
    if kl is not None:
        rows = [matrix(f"KL divergences of model {i}", row) for i, row in enumerate(kl)]
        if [row.shape for row in rows] != [(each.shape[1], 1) for each in codes]:
            raise ArrayError("kl must have a row for each model and in it a number for each code")
        divergences = [row[:, 0].tolist() for row in rows]
    found = table(codes[0])
    found.kl = divergences[0]
    found.siblings = list(zip(codes[1:], divergences[1:]))
    return found


def _graphs(learned: npt.ArrayLike, true: npt.ArrayLike) -> Table:
    """Two graphs. Who compares graphs needs no codes, so there is one that says nothing."""
    found = table(np.zeros((1, 1), np.float32))
    found.learned_graph = _adjacency("learned", learned, np.float64)
    found.true_graph = _adjacency("true", true, np.bool_)
    return found


def _adjacency(what: str, graph: npt.ArrayLike, dtype: Any) -> npt.NDArray[Any]:
    array = matrix(f"edges of the {what} graph", graph)
    if array.shape[0] != array.shape[1]:
        raise ArrayError(
            f"the {what} graph has shape {list(array.shape)}; it must be square, "
            "a row per cause and a column per effect"
        )
    return array.astype(dtype)


# Where users import them from.
score.__module__ = metrics.__module__ = "unbraid"
