"""Measure whether the coordinates of a representation mean something.

Codes and true factors in, scores out::

    import unbraid

    scores = unbraid.score(codes, factors)      # every metric: a table
    gap = unbraid.mig(codes, factors)           # one metric
    float(gap), gap.parts, gap.matrix

Each metric is a function of the same name, with its page as the docstring: ``help(unbraid.mig)``.
"""

from . import _functions, _native
from ._errors import ArrayError, Error, MissingError, SettingError, UnknownError
from ._functions import metrics, score
from ._native import __version__
from ._scores import Score, Scores

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
]

for _entry in _native.metrics():
    _function = _functions.function_of(_entry)
    globals()[_function.__name__] = _function
    __all__.append(_function.__name__)
