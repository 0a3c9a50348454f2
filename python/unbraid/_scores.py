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

    def _rows(self) -> list[list[str]]:
        """The table with its head; a column of intervals only where there are any."""
        rows = [["metric", "value", "interval", "reading"]]
        for score in self.values():
            interval = "" if score.interval is None else "{:.3f} to {:.3f}".format(*score.interval)
            rows.append([score.metric, _value(score), interval, score.reason or score.reading])
        if not any(row[2] for row in rows[1:]):
            rows = [[row[0], row[1], row[3]] for row in rows]
        return rows

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join(lines + [f"warning: {warning}" for warning in self.warnings])

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        cell = (
            '<{0} style="text-align:left;vertical-align:top;padding:0.25em 0.9em;'
            'border-bottom:1px solid rgba(128,128,128,0.3);{1}">{2}</{0}>'
        ).format
        # Names and numbers do not break, and what explains them stays back.
        name = "white-space:nowrap;font-weight:600"
        number = "white-space:nowrap;font-variant-numeric:tabular-nums"
        styles = [name, *[number] * (len(head) - 2), "opacity:0.75"]
        lines = ["".join(cell("th", "font-weight:400;opacity:0.75", title) for title in head)]
        for row in rows:
            lines.append("".join(cell("td", *pair) for pair in zip(styles, map(html.escape, row))))
        table = "".join(f"<tr>{line}</tr>" for line in lines)
        notes = "".join(
            f'<div style="padding:0.25em 0.9em;opacity:0.75">warning: {html.escape(warning)}</div>'
            for warning in self.warnings
        )
        return f'<table style="border-collapse:collapse;color:inherit">{table}</table>{notes}'


def _value(score: Score) -> str:
    return "-" if score.value is None else f"{score.value:.3f}"


for _class in (Score, Scores):
    _class.__module__ = "unbraid"
