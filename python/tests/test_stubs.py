"""The stubs: what a type checker believes is what is there."""

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import unbraid
from unbraid import _native

STUBS = Path(unbraid.__file__).parent
HINT = "run `cargo xtask docs`"

needs_mypy = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy is not installed"
)

USER = """
import numpy as np
import unbraid

codes = np.zeros((10, 2), dtype=np.float32)
scores = unbraid.score(codes, {"shape": ["a", "b"] * 5}, ["mig"], bins=10)
value: float | None = scores["mig"].value
gap: unbraid.Score = unbraid.mig(codes, np.zeros(10, int), seed=1, progress=print)
number: float = float(gap)
parts: dict[str, float] = gap.parts
try:
    unbraid.factor_vae_score(codes, [[1, 2]] * 10, names=["a", "b"])
except unbraid.ArrayError as error:
    print(error)
"""


def functions():
    tree = ast.parse((STUBS / "__init__.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_package_says_that_it_is_typed():
    assert (STUBS / "py.typed").is_file()


def test_every_metric_is_in_the_stubs_with_its_parameters():
    found = functions()
    for entry in _native.metrics():
        name = entry["name"].replace("-", "_")
        assert name in found, f"{name} is not in __init__.pyi; {HINT}"
        arguments = found[name].args
        stub = [each.arg for each in arguments.args], [each.arg for each in arguments.kwonlyargs]
        parameters = inspect.signature(getattr(unbraid, name)).parameters.values()
        there = (
            [each.name for each in parameters if each.kind == each.POSITIONAL_OR_KEYWORD],
            [each.name for each in parameters if each.kind == each.KEYWORD_ONLY],
        )
        assert stub == there, f"the stub of {name} is not current; {HINT}"
        assert ast.get_docstring(found[name]) == entry["summary"], HINT
    metrics = {entry["name"].replace("-", "_") for entry in _native.metrics()}
    assert set(found) <= metrics, HINT


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Reading NumPy's types takes mypy most of its time; once is enough."""
    return tmp_path_factory.mktemp("mypy")


def run(*words, cwd, cache):
    environment = {**os.environ, "MYPY_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", *words]
    found = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


@needs_mypy
def test_mypy_finds_the_stubs_true_to_the_module(tmp_path, cache):
    run("mypy.stubtest", "unbraid", cwd=tmp_path, cache=cache)


@needs_mypy
def test_mypy_accepts_the_package_and_a_user_of_it(tmp_path, cache):
    (tmp_path / "user.py").write_text(USER)
    run("mypy", "--strict", "user.py", cwd=tmp_path, cache=cache)
    run("mypy", "--strict", "-p", "unbraid", cwd=tmp_path, cache=cache)


@needs_mypy
def test_mypy_notices_a_mistake(tmp_path, cache):
    (tmp_path / "user.py").write_text(USER.replace("bins=10", "binns=10"))
    with pytest.raises(AssertionError, match="binns"):
        run("mypy", "--strict", "user.py", cwd=tmp_path, cache=cache)
