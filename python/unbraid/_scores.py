"""Results: a `Score` of one metric, and `Scores`, a table of them."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import MissingError


@dataclass(frozen=True, eq=False)
class Score:
    """The result of one metric.

    ``float(score)`` is its value, and ``f"{score:.3f}"`` formats it.

    Attributes
    ----------
    metric : str
        The metric's name.
    value : float or None
        The headline number; None where there is none.
    parts : dict of str to float
        Further numbers by name, such as the share of each factor.
    matrix : ndarray or None
        Codes (rows) against factors (columns), where the metric has such a matrix.
    interval : tuple of float or None
        The middle 95 % of the values on resampled rows, if ``bootstrap`` asked for it.
    reading : str
        The range, which end is good, and what the good end means.
    seconds : float
        How long it took.
    reason : str or None
        Why there is no value.
    """

    metric: str
    value: float | None
    parts: dict[str, float] = field(default_factory=dict)
    matrix: npt.NDArray[np.float64] | None = None
    interval: tuple[float, float] | None = None
    reading: str = ""
    seconds: float = 0.0
    reason: str | None = None

    def __float__(self) -> float:
        if self.value is None:
            raise MissingError(f"{self.metric} has no value: {self.reason}")
        return self.value

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)

    def __repr__(self) -> str:
        if self.value is None:
            return f"Score({self.metric}: no value, {self.reason})"
        return f"Score({self.metric}: {_value(self)}; {self.reading})"


class Scores(Mapping[str, Score]):
    """The scores of several metrics, by name and in order.

    Printed, and shown in a notebook, it is a table. Names may be written with hyphens, as the
    program writes them, or with underscores, as the functions are called.

    Attributes
    ----------
    warnings : list of str
        What to keep in mind when reading the values, a sentence each.
    """

    def __init__(self, scores: list[Score], warnings: list[str], document: str) -> None:
        self._scores = {score.metric: score for score in scores}
        self._document = document
        self.warnings = warnings

    def __getitem__(self, metric: str) -> Score:
        return self._scores[metric.replace("_", "-") if isinstance(metric, str) else metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``unbraid score --json`` prints: format, scores, warnings."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    def __repr__(self) -> str:
        head = ("metric", "value", "reading")
        rows = [head] + [(s.metric, _value(s), s.reason or s.reading) for s in self.values()]
        first, second = (max(len(row[j]) for row in rows) for j in (0, 1))
        lines = [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows]
        return "\n".join(lines + [f"warning: {warning}" for warning in self.warnings])

    def _repr_html_(self) -> str:
        cell = '<td style="text-align:left;padding:0.2em 0.8em;{}">{}</td>'
        number = "font-variant-numeric:tabular-nums;white-space:nowrap"
        faint = "opacity:0.7"
        rows = []
        for score in self.values():
            last = score.reading if score.reason is None else score.reason
            style = faint if score.reason is None else f"{faint};font-style:italic"
            rows.append(
                "<tr>"
                + cell.format("font-weight:600;white-space:nowrap", html.escape(score.metric))
                + cell.format(number, html.escape(_value(score)))
                + cell.format(style, html.escape(last))
                + "</tr>"
            )
        head = "".join(
            f'<th style="text-align:left;padding:0.2em 0.8em">{name}</th>'
            for name in ("metric", "value", "reading")
        )
        notes = "".join(
            f'<div style="padding:0.1em 0.8em">⚠ {html.escape(warning)}</div>'
            for warning in self.warnings
        )
        return (
            '<table style="border-collapse:collapse">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{notes}"
        )


def _value(score: Score) -> str:
    if score.value is None:
        return "-"
    if score.interval is None:
        return f"{score.value:.3f}"
    low, high = score.interval
    return f"{score.value:.3f} [{low:.3f}, {high:.3f}]"


for _class in (Score, Scores):
    _class.__module__ = "unbraid"
