"""The package and the program give the same numbers for the same arrays.

`cargo xtask test` names the program in UNBRAID_PROGRAM.
"""

import json
import os
import subprocess

import numpy as np
import pytest
import unbraid
from conftest import made

PROGRAM = os.environ.get("UNBRAID_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="UNBRAID_PROGRAM names no program")


def classes(rows, seed):
    rng = np.random.default_rng(seed)
    factors = rng.integers(0, [3, 6, 4], (rows, 3))
    codes = factors @ rng.normal(size=(3, 5)) + 0.1 * rng.normal(size=(rows, 5))
    return codes.astype(np.float32), factors


def mixed():
    codes, factors = made(900, seed=3)
    return codes, np.stack([factors["size"], factors["place"], factors["angle"]], axis=1)


def dead_codes():
    codes, factors = classes(600, 2)
    codes[:, 1] = 0
    return codes.astype(np.float64), np.c_[factors, np.ones(600, int)]


TABLES = {
    "classes": lambda: classes(1000, 0),
    "floats": mixed,
    "dead codes and a constant factor": dead_codes,
    "few rows": lambda: classes(12, 5),
    "one column each": lambda: tuple(array[:, 0] for array in classes(500, 6)),
}


def run(*words):
    command = [PROGRAM, "score", *map(str, words), "--json", "--quiet"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    # 1 says that no metric could be computed; the reasons are in the document.
    assert found.returncode in (0, 1) and found.stdout, found.stderr
    return json.loads(found.stdout)


def saved(tmp_path, name, array):
    np.save(tmp_path / f"{name}.npy", array)
    return tmp_path / f"{name}.npy"


def of_program(tmp_path, codes, factors, *words):
    codes, factors = saved(tmp_path, "codes", codes), saved(tmp_path, "factors", factors)
    return run("--codes", codes, "--factors", factors, *words)


def without_times(document):
    for score in document["scores"]:
        assert score.pop("seconds") >= 0
    return document


@pytest.mark.parametrize("table", TABLES)
def test_every_metric_gives_the_same_document(tmp_path, table):
    codes, factors = TABLES[table]()
    scores = unbraid.score(codes, factors, seed=3)
    program = of_program(tmp_path, codes, factors, "--metrics", "all", "--seed", "3")
    assert without_times(scores.to_dict()) == without_times(program)
    # And what a Score holds is what the document says.
    for entry in program["scores"]:
        score = scores[entry["metric"]]
        assert score.value == entry["value"] and score.parts == entry.get("parts", {})
        assert score.reason == entry.get("reason") and score.reading == entry["reading"]
        if "matrix" in entry:
            assert score.matrix.tolist() == entry["matrix"]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--bins", "7"], {"bins": 7}),
        (["--train-rows", "500", "--test-rows", "200"], {"train_rows": 500, "test_rows": 200}),
        (["--bootstrap", "5"], {"bootstrap": 5}),
    ],
    ids=["bins", "rows", "bootstrap"],
)
def test_options_mean_the_same(tmp_path, words, options):
    codes, factors = mixed()
    chosen = ["mig", "mcc", "factor-vae-score"]
    program = of_program(tmp_path, codes, factors, "--metrics", ",".join(chosen), *words)
    scores = unbraid.score(codes, factors, chosen, **options)
    assert without_times(scores.to_dict()) == without_times(program)


def same(score, document):
    (entry,) = document["scores"]
    assert (score.value, score.parts) == (entry["value"], entry["parts"])


@pytest.mark.parametrize("name", ["udr", "udr-spearman"])
def test_models_are_compared_the_same(tmp_path, name):
    models = [classes(300, seed)[0] for seed in (1, 1, 2)]
    kl = np.random.default_rng(0).uniform(0, 2, (3, 5))
    function = getattr(unbraid, name.replace("-", "_"))
    paths = [saved(tmp_path, f"model-{i}", model) for i, model in enumerate(models)]
    words = ["--codes", *paths, "--metrics", name]
    same(function(models), run(*words))
    same(function(models, kl), run(*words, "--kl", saved(tmp_path, "kl", kl)))


@pytest.mark.skipif(not hasattr(unbraid, "shd"), reason="there is no metric `shd`")
def test_graphs_are_compared_the_same(tmp_path):
    learned = np.array([[0, 0.8, 0.1], [0, 0, 0.2], [0.4, 0, 0]])
    true = np.triu(np.ones((3, 3)), 1)
    document = run(
        *("--graph", saved(tmp_path, "learned", learned)),
        *("--true-graph", saved(tmp_path, "true", true)),
        *("--metrics", "shd"),
    )
    same(unbraid.shd(learned, true), document)


@pytest.mark.skipif(not hasattr(unbraid, "alignment"), reason="there is no metric `alignment`")
def test_blocks_are_the_same_by_name_and_number(tmp_path):
    codes, factors = classes(500, 4)
    words = ["--metrics", "alignment", "--blocks"]
    document = of_program(tmp_path, codes, factors, *words, "0,factor-2,2,-,0")
    same(unbraid.alignment(codes, factors, [0, "factor-2", 2, None, 0]), document)
