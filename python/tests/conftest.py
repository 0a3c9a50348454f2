"""What the tests share: a table with factors of every kind, and codes that find some of them."""

import numpy as np
import pytest


def made(rows=1200, seed=0):
    """Codes [rows, 4] and four factors by name: two of classes, one of words, one continuous."""
    rng = np.random.default_rng(seed)
    factors = {
        "size": rng.integers(0, 5, rows),
        "place": rng.integers(0, 8, rows) / 8,
        "shape": np.array(["square", "disc", "heart"])[rng.integers(0, 3, rows)],
        "angle": rng.uniform(0, 1, rows),
    }
    words = np.unique(factors["shape"], return_inverse=True)[1]
    truth = np.stack([factors["size"], factors["place"], words, factors["angle"]], axis=1)
    mixed = truth @ (np.eye(4) + 0.2 * rng.uniform(size=(4, 4)))
    codes = mixed + 0.05 * rng.normal(size=(rows, 4))
    return codes.astype(np.float32), factors


@pytest.fixture(scope="session")
def table():
    return made()


@pytest.fixture(scope="session")
def numbers(table):
    """The same, with whole numbers for the words: codes and one array of floats."""
    codes, factors = table
    words = np.unique(factors["shape"], return_inverse=True)[1]
    columns = [factors["size"], factors["place"], words, factors["angle"]]
    return codes, np.stack(columns, axis=1)
