"""Docstrings of the metrics' functions: parameters as numpydoc has them, and the metric's page."""

from __future__ import annotations

import inspect
from collections.abc import Callable

# Those that `score` does not have; it documents the others.
PARAMETERS = {
    "models": """\
models : iterable of array_like, each of shape (rows, latents)
    The codes of several models of the same rows, one array each.""",
    "kl": """\
kl : iterable of array_like, each of shape (latents,), optional
    For each model, the KL divergence of each code from the prior.""",
    "learned": """\
learned : array_like, shape (nodes, nodes)
    The strength of each learned edge, ``learned[cause, effect]``.""",
    "true": """\
true : array_like, shape (nodes, nodes)
    The true edges, ``true[cause, effect]``; what is not 0 is an edge.""",
}


def document(entry: dict[str, str], function: Callable[..., object], score: object) -> str:
    """The docstring of `function`, whose metric says `entry` of itself."""
    known = PARAMETERS | _parameters(inspect.getdoc(score) or "")
    names = [name for name in inspect.signature(function).parameters if name in known]
    parameters = "\n".join(known[name] for name in names)
    page = "\n".join(
        f"**{line[3:]}**" if line.startswith("## ") else line for line in entry["page"].split("\n")
    )
    return f"""{entry["title"]}: {entry["summary"]}

Parameters
----------
{parameters}

Returns
-------
Score
    {entry["reading"]}

Raises
------
MissingError
    If it cannot be computed on these data; the message says why.
ArrayError
    If an array has the wrong shape or type, or holds NaN or infinity.

Notes
-----
{page}
"""


def _parameters(text: str) -> dict[str, str]:
    """Each parameter of a docstring, by its first name: its line and what is indented below."""
    _, _, rest = text.partition("Parameters\n----------\n")
    section, _, _ = rest.partition("\n\n")
    found: list[str] = []
    for line in section.split("\n"):
        if line.startswith(" ") and found:
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return {item.split(" :")[0].split(",")[0]: item for item in found}
