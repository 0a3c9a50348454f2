"""What users bring (arrays, tensors, dicts, data frames) as the plain arrays of a `Table`.

Nothing here imports pandas, polars or torch: their objects are known by what they can do.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._errors import ArrayError, SettingError

# A data frame of pandas or polars is an array to a type checker.
Factors: TypeAlias = npt.ArrayLike | Mapping[str, npt.ArrayLike]

# The factor of each code, by name or number.
Blocks: TypeAlias = Sequence["str | int | None"]
Array: TypeAlias = npt.NDArray[Any]

# Whole numbers up to this size are told apart by float32.
MOST_WHOLE = 2**24


@dataclass
class Table:
    """Codes and factor values row by row, as `_native.score` reads them."""

    codes: npt.NDArray[np.float32]  # [rows, latents]
    values: npt.NDArray[np.float32]  # [rows, factors]
    names: list[str]
    whole: list[bool]
    blocks: list[int | None] | None = None
    kl: list[float] | None = None
    siblings: list[tuple[npt.NDArray[np.float32], list[float] | None]] = field(default_factory=list)
    learned_graph: npt.NDArray[np.float64] | None = None  # [cause, effect]
    true_graph: npt.NDArray[np.bool_] | None = None  # [cause, effect]


def table(
    codes: Any,
    factors: Any = None,
    names: Sequence[str] | None = None,
    blocks: Blocks | None = None,
) -> Table:
    """Codes and factors as a `Table`."""
    codes = matrix("codes", codes)
    columns = [] if factors is None else list(_columns(factors))
    if names is not None:
        names = _names(names, columns)
    else:
        names = [f"factor-{i}" if name is None else name for i, (name, _) in enumerate(columns, 1)]
    values = np.empty((len(codes), len(columns)), np.float32)
    whole = []
    for j, (name, (_, column)) in enumerate(zip(names, columns)):
        if len(column) != len(codes):
            raise ArrayError(
                f"codes have {len(codes)} rows and factor `{name}` has {len(column)}; "
                "row i of both must be the same observation"
            )
        values[:, j], is_whole = _numbers(f"factor `{name}`", column)
        whole.append(is_whole)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArrayError(f"two factors are named `{twice[0]}`; give each its own name")
    return Table(codes, values, names, whole, _blocks(blocks, names))


def matrix(what: str, array: Any) -> npt.NDArray[np.float32]:
    """Numbers as float32 [rows, columns] in C order, without a copy where they are that already."""
    array = as_array(what, array)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ArrayError(f"{what} have shape {list(array.shape)}; they must be [rows, columns]")
    if array.dtype.kind not in "fiub":
        raise ArrayError(f"{what} {_are(array)}; they must be real numbers, such as float32")
    return _as_float32(what, array)


def as_array(what: str, array: Any) -> Array:
    """Whatever it is, as a NumPy array of its own kind of numbers."""
    # A torch tensor may carry gradients or lie on a device, and gives no array before it is freed.
    if hasattr(array, "detach") and hasattr(array, "cpu"):
        array = array.detach().cpu()
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ArrayError(f"{what} have masked entries; leave those rows out")
    try:
        return np.asarray(array)
    except Exception as error:
        raise ArrayError(f"{what} cannot be read as an array: {error}") from error


def _columns(factors: Any) -> Iterator[tuple[str | None, Array]]:
    """Each factor as its name, where it has one, and a column."""
    named = _named_columns(factors)
    if named is not None:
        for name, column in named:
            array = as_array(f"factor `{name}`", column)
            if array.ndim != 1:
                shape = list(array.shape)
                raise ArrayError(f"factor `{name}` has shape {shape}; it must be one column")
            yield str(name), array
        return
    array = as_array("factors", factors)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ArrayError(f"factors have shape {list(array.shape)}; they must be [rows, columns]")
    for j in range(array.shape[1]):
        yield None, array[:, j]


def _named_columns(factors: Any) -> Iterable[tuple[Any, Any]] | None:
    """The columns of a dict, a data frame or a record array; None of anything else."""
    record = getattr(getattr(factors, "dtype", None), "names", None)
    if record:
        return [(name, factors[name]) for name in record]
    # A pandas Series has `items` too, of single values.
    if getattr(factors, "ndim", 2) == 2:
        if hasattr(factors, "items"):  # dict, pandas
            return list(factors.items())
        if hasattr(factors, "columns") and hasattr(factors, "__getitem__"):  # polars
            return [(name, factors[name]) for name in factors.columns]
    return None


def _names(names: Sequence[str], columns: list[tuple[str | None, Array]]) -> list[str]:
    names = [str(name) for name in names]
    if any(name is not None for name, _ in columns):
        raise ArrayError("the factors bring their names with them; leave `names` out")
    if len(names) != len(columns):
        raise ArrayError(f"{len(names)} names are given for {len(columns)} factors")
    return names


def _blocks(blocks: Blocks | None, names: list[str]) -> list[int | None] | None:
    """The factor of each code by number."""
    if blocks is None:
        return None
    found: list[int | None] = []
    for block in blocks:
        if block is None or block in names:
            found.append(None if block is None else names.index(str(block)))
        elif not isinstance(block, str) and 0 <= operator.index(block) < len(names):
            found.append(operator.index(block))
        else:
            raise SettingError(
                f"setting `blocks` names {block!r}, which is no factor; "
                "give names, numbers from 0, or None"
            )
    return found


def _numbers(what: str, column: Array) -> tuple[npt.NDArray[np.float32], bool]:
    """A column as float32, and whether each of its values is a class of its own."""
    if column.dtype.kind == "O":
        column = _words(what, column)
    # StringDType, of NumPy 2.
    if column.dtype.kind in "UST":
        return _as_float32(what, _order(column)), True
    if column.dtype.kind not in "fiub":
        raise ArrayError(f"{what} {_are(column)}; it must be numbers or words")
    if column.dtype.kind == "f":
        return _as_float32(what, column), False
    # Whole numbers that float32 would confuse become their order, as words do.
    if len(column) and max(-int(column.min()), int(column.max())) > MOST_WHOLE:
        column = _order(column)
    return _as_float32(what, column), True


def _order(column: Array) -> Array:
    """The place of each value among the sorted distinct ones."""
    return np.unique(column, return_inverse=True)[1]


def _words(what: str, column: Array) -> Array:
    """Python objects, as pandas keeps words, if they are all words."""
    for row, value in enumerate(column):
        if not isinstance(value, str):
            kind = type(value).__name__
            raise ArrayError(
                f"{what} holds Python objects, and that of row {row} is no word but {kind}; "
                "convert it first, as in np.asarray(x, dtype=float)"
            )
    return column.astype(str)


def _as_float32(what: str, array: Array) -> npt.NDArray[np.float32]:
    # Infinity is refused later, with its place; what only becomes infinite here is said here.
    with np.errstate(over="ignore"):
        found = np.require(array, np.float32, ["C_CONTIGUOUS", "ALIGNED"])
    if found.dtype != array.dtype and not np.isfinite(found).all() and np.isfinite(array).all():
        raise ArrayError(f"{what} have numbers too large for float32; rescale them")
    return found


def _are(array: Array) -> str:
    words = {"c": "complex numbers", "O": "Python objects", "U": "words", "S": "bytes"}
    kind = words.get(array.dtype.kind, f"of type {array.dtype}")
    return f"are {kind}"
