"""One reference, timed: what metrics.py runs in the environment with scikit-learn.

    python bench/run_reference.py NAME STUDY MADE     prints {"seconds": …, "values": {"value": …, …}}

STUDY is the directory of the golden set with the table of a study: its first 10,000 rows teach, its last 5,000
judge. MADE is a directory with what that table lacks, several models and two graphs; the NAME `make` makes them.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import metric_references as references

TRAIN, TEST = 10_000, 5_000

# They teach a predictor and judge it on other rows.
NEED_TEST_ROWS = {"dci", "sap", "explicitness", "alignment", "fairness", "downstream-lr", "downstream-gbt",
                  "dci-regression"}


def task(name, study, made):
    """The reference of this name with its inputs, to be called."""
    if name == "udr":
        models = [np.load(file).astype(float) for file in sorted(made.glob("model*.npy"))]
        return lambda: references.udr(models, np.ones((len(models), models[0].shape[1])))
    if name == "shd":
        learned, true = np.load(made / "graph.npy"), np.load(made / "true_graph.npy")
        return lambda: references.shd(learned, true)
    codes, factors = np.load(study / "study.codes.npy").astype(float), np.load(study / "study.factors.npy")
    train, test = (codes[:TRAIN], factors[:TRAIN]), (codes[-TEST:], factors[-TEST:])
    reference = getattr(references, name.replace("-", "_"))
    return lambda: reference(train, test) if name in NEED_TEST_ROWS else reference(*train)


def make(study, made):
    """Ten models of the same 1,000 rows (the study's codes in another order, turned a little, with noise), and
    a graph of 50 nodes beside one that was learned badly."""
    random = np.random.RandomState(0)
    codes = np.load(study / "study.codes.npy")[:1_000]
    made.mkdir(parents=True, exist_ok=True)
    for number in range(10):
        mixed = codes @ (np.eye(codes.shape[1]) + 0.1 * number * random.normal(size=(codes.shape[1],) * 2))
        model = mixed[:, random.permutation(codes.shape[1])] + 0.1 * random.normal(size=codes.shape)
        np.save(made / f"model{number}.npy", model.astype(np.float32))
    true = np.triu(random.random_sample((50, 50)) < 0.1, 1).astype(np.float32)
    np.save(made / "true_graph.npy", true)
    np.save(made / "graph.npy", (true + 0.15 * random.normal(size=true.shape)).astype(np.float32))


def main():
    name, study, made = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    warnings.simplefilter("ignore")
    if name == "make":
        return make(study, made)
    work, seconds = task(name, study, made), []
    while not seconds or (sum(seconds) < 2 and len(seconds) < 6):
        start = time.perf_counter()
        values = work()
        seconds.append(time.perf_counter() - start)
    # The first call of a short one includes what libraries load on first use.
    seconds = seconds[1:] or seconds
    values = {key: float(value) for key, value in values.items() if np.ndim(value) == 0}
    print(json.dumps({"seconds": float(np.median(seconds)), "values": values}))


if __name__ == "__main__":
    main()
