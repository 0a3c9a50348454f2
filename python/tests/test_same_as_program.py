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


def of_program(tmp_path, codes, factors, *words):
    paths = []
    for name, array in [("codes", codes), ("factors", factors)]:
        np.save(tmp_path / f"{name}.npy", array)
        paths += [f"--{name}", str(tmp_path / f"{name}.npy")]
    command = [PROGRAM, "score", *paths, "--json", "--quiet", *words]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


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
