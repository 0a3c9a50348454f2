from collections.abc import Callable
from typing import Any

from ._functions import Options
from ._table import Table

__all__ = ["__version__", "metrics", "score"]

__version__: str

def metrics() -> list[dict[str, str]]: ...
def score(
    table: Table,
    options: Options,
    progress: Callable[[str, float], object] | None = None,
) -> tuple[list[dict[str, Any]], list[str], str]: ...
