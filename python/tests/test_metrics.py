"""The functions: what they take, what they return."""

import pickle
import threading
import time

import numpy as np
import pandas
import polars
import pytest
import unbraid
from unbraid import _native
from unbraid._table import table as to_table

# Quick ones that draw nothing at random, and one that draws.
FEW = ["mig", "mcc", "factor-vae-score"]
OF_FACTORS = [e["name"] for e in _native.metrics() if e["needs"] in ("factors", "split")]


def values(scores):
    return {name: (score.value, score.parts) for name, score in scores.items()}


def test_codes_that_are_the_factors_score_one(numbers):
    _, factors = numbers
    scores = unbraid.score(factors, factors, ["mig", "mcc", "mcc-spearman"])
    assert float(scores["mcc"]) == pytest.approx(1)
    assert float(scores["mcc-spearman"]) == pytest.approx(1)
    assert float(scores["mig"]) > 0.8


@pytest.mark.parametrize("entry", _native.metrics(), ids=lambda entry: entry["name"])
def test_every_metric_is_a_function_with_its_page(entry):
    name = entry["name"].replace("-", "_")
    function = getattr(unbraid, name)
    assert name in unbraid.__all__
    assert function.__name__ == name
    for part in ("summary", "reading", "title"):
        assert entry[part] in function.__doc__
    # The sections of the page, and those that numpydoc asks for.
    for section in ("What it measures", "Cautions", "Reference"):
        assert f"**{section}**" in function.__doc__
    assert "Parameters\n----------\n" in function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function


def test_metrics_are_listed_in_the_order_of_the_registry():
    listed = unbraid.metrics()
    assert [name for name, _ in listed] == [entry["name"] for entry in _native.metrics()]
    assert dict(listed)["mig"].startswith("mutual information gap")


def test_all_metrics_score_or_say_why_not(table):
    scores = unbraid.score(*table)
    assert list(scores) == [name for name, _ in unbraid.metrics()]
    for score in scores.values():
        assert (score.value is None) == (score.reason is not None)
        assert score.seconds >= 0 and score.reading
        if score.matrix is not None:
            assert score.matrix.ndim == 2 and score.matrix.dtype == np.float64


def test_a_metric_alone_says_what_it_says_among_others(table):
    scores = unbraid.score(*table, FEW, seed=7)
    assert list(scores) == FEW
    for name, score in scores.items():
        alone = getattr(unbraid, name.replace("-", "_"))(*table, seed=7)
        assert (alone.value, alone.parts) == (score.value, score.parts)
        np.testing.assert_array_equal(alone.matrix, score.matrix)
    other = unbraid.factor_vae_score(*table, seed=8)
    assert (other.matrix != scores["factor-vae-score"].matrix).any()


def test_metrics_are_named_one_or_many_with_hyphens_or_underscores(table):
    assert list(unbraid.score(*table, "mcc")) == ["mcc"]
    assert list(unbraid.score(*table, "mcc,mig")) == ["mcc", "mig"]
    assert list(unbraid.score(*table, ("mcc_spearman", "mcc"))) == ["mcc-spearman", "mcc"]


class Tensor:
    """What torch does: no array while there are gradients, or on another device."""

    def __init__(self, array, steps=("detach", "cpu")):
        self.array, self.steps = array, steps

    def detach(self):
        return Tensor(self.array, [step for step in self.steps if step != "detach"])

    def cpu(self):
        return Tensor(self.array, [step for step in self.steps if step != "cpu"])

    def __array__(self, dtype=None, copy=None):
        assert not self.steps, f"call {self.steps} first"
        return self.array


@pytest.mark.parametrize(
    "of",
    [
        lambda codes: codes.tolist(),
        lambda codes: codes.astype(np.float64),
        lambda codes: np.asfortranarray(codes),
        lambda codes: codes.astype(">f4"),
        lambda codes: np.repeat(codes, 2, axis=0)[::2],
        lambda codes: Tensor(codes),
        lambda codes: pandas.DataFrame(codes),
        lambda codes: polars.DataFrame(codes),
    ],
    ids=["list", "float64", "fortran", "big-endian", "strided", "tensor", "pandas", "polars"],
)
def test_codes_of_any_kind_give_the_same_scores(numbers, of):
    codes, factors = numbers
    expected = unbraid.score(codes, factors, FEW)
    assert values(unbraid.score(of(codes), factors, FEW)) == values(expected)


@pytest.mark.parametrize(
    "of",
    [
        lambda factors: factors,
        lambda factors: pandas.DataFrame(factors),
        lambda factors: pandas.DataFrame(factors).astype({"shape": "category"}),
        lambda factors: pandas.DataFrame(factors).astype({"shape": object}),
        lambda factors: polars.DataFrame(factors),
        lambda factors: {**factors, "shape": factors["shape"].tolist()},
        lambda factors: {**factors, "size": factors["size"].astype(np.uint8)},
        lambda factors: np.rec.fromarrays(list(factors.values()), names=list(factors)),
    ],
    ids=["dict", "pandas", "category", "object", "polars", "list", "bytes", "records"],
)
def test_factors_of_any_kind_give_the_same_scores(table, of):
    codes, factors = table
    expected = unbraid.score(codes, factors, FEW)
    assert "mig/shape" in expected["mig"].parts
    assert values(unbraid.score(codes, of(factors), FEW)) == values(expected)


def test_words_are_numbered_in_their_order(numbers, table):
    codes, factors = numbers
    words = {**table[1]}
    scores = unbraid.score(codes, words, FEW)
    named = unbraid.score(codes, factors, FEW, names=list(words))
    assert values(scores) == values(named)


def test_whole_numbers_too_large_for_float32_become_their_order(table):
    codes, factors = table
    large = {"id": factors["size"] + 2**40}
    assert values(unbraid.score(codes, large, FEW)) == values(
        unbraid.score(codes, {"id": factors["size"]}, FEW)
    )


def test_factors_without_names_are_counted_and_names_can_be_given(numbers):
    codes, factors = numbers
    assert list(unbraid.mcc(codes, factors).parts)[:2] == ["mcc/factor-1", "mcc/factor-2"]
    named = unbraid.mcc(codes, factors, names=["a", "b", "c", "d"])
    assert list(named.parts) == ["mcc/a", "mcc/b", "mcc/c", "mcc/d"]


def test_a_vector_is_one_column(numbers):
    codes, factors = numbers
    column = unbraid.mcc(codes[:, :1], factors[:, :1])
    assert float(unbraid.mcc(codes[:, 0], factors[:, 0])) == float(column)
    assert float(unbraid.mcc(codes[:, 0], pandas.Series(factors[:, 0]))) == float(column)
    assert float(unbraid.mcc(codes[:, 0], {"only": factors[:, 0]})) == float(column)


def test_float32_in_c_order_is_not_copied(numbers):
    codes, factors = numbers
    assert np.shares_memory(to_table(codes, factors).codes, codes)
    codes.flags.writeable = False
    assert np.shares_memory(to_table(codes, factors).codes, codes)
    assert not np.shares_memory(to_table(codes[:, ::2], factors).codes, codes)


def test_another_thread_may_write_while_it_is_scored():
    rng = np.random.default_rng(0)
    factors = rng.integers(0, 5, (20_000, 4)).astype("float32")
    codes = (factors + rng.normal(size=factors.shape)).astype("float32")
    alone = float(unbraid.mcc(codes.copy(), factors, bootstrap=20))
    done = threading.Event()

    def write():
        while not done.is_set():
            codes[:] = rng.normal(size=codes.shape)

    score = []
    rater = threading.Thread(target=lambda: score.append(float(unbraid.mcc(codes, factors, bootstrap=20))))
    rater.start()
    # What is scored is a copy, made at once.
    time.sleep(0.3)
    writer = threading.Thread(target=write)
    writer.start()
    rater.join()
    done.set()
    writer.join()
    assert score == [alone]


def test_whole_numbers_are_classes_and_scattered_floats_are_binned(numbers):
    codes, factors = numbers
    angle = factors[:, 3]
    binned = unbraid.mig(codes, angle)
    assert float(unbraid.mig(codes, angle, bins=5)) != float(binned)
    # 1200 classes of one row each say nothing of the codes that 20 bins do.
    assert float(unbraid.mig(codes, np.argsort(np.argsort(angle)))) < float(binned)


def test_first_rows_teach_and_last_judge(numbers):
    codes, factors = numbers
    first = float(unbraid.mig(codes[:800], factors[:800]))
    for rest in ({}, {"test_rows": 300}):
        assert float(unbraid.mig(codes, factors, train_rows=800, **rest)) == first
    assert float(unbraid.mig(codes, factors, test_rows=400)) == first


def test_an_interval_is_drawn_around_the_value(table):
    score = unbraid.mig(*table, bootstrap=30)
    low, high = score.interval
    assert 0 < low < high < 1
    scores = unbraid.score(*table, ["mig"], bootstrap=30)
    assert scores["mig"].interval == (low, high)
    assert f"{low:.3f} to {high:.3f}" in repr(scores)
    assert unbraid.mig(*table).interval is None


def test_progress_is_told_of_each_metric_until_it_is_done(table):
    told = []
    unbraid.score(*table, FEW, progress=lambda metric, share: told.append((metric, share)))
    assert [metric for metric, share in told if share == 1] == FEW
    shares = [share for metric, share in told if metric == FEW[-1]]
    assert shares == sorted(shares) and all(0 <= share <= 1 for share in shares)


def test_a_score_is_a_number_with_details(table):
    score = unbraid.mig(*table)
    assert isinstance(score, unbraid.Score)
    assert f"{score:.3f}" == f"{float(score):.3f}" == f"{score.value:.3f}"
    assert score.metric == "mig" and score.reason is None
    assert list(score.parts) == ["mig/size", "mig/place", "mig/shape", "mig/angle"]
    assert score.matrix.shape == (4, 4)
    assert repr(score).startswith(f"Score(mig: {score:.3f}; 0 to 1, higher is better")
    again = pickle.loads(pickle.dumps(score))
    assert again.parts == score.parts


def test_scores_are_a_mapping_a_document_and_a_table(table):
    codes, factors = table
    scores = unbraid.score(np.c_[codes, np.ones(len(codes))], factors, ["mig", "mcc"])
    assert len(scores) == 2 and "mcc" in scores and "dci" not in scores
    assert scores.get("nothing") is None
    assert scores["mcc"].value is None and "code 4" in scores["mcc"].reason
    with pytest.raises(unbraid.MissingError, match="mcc has no value"):
        float(scores["mcc"])

    document = scores.to_dict()
    assert document["format"] == 1
    assert [entry["metric"] for entry in document["scores"]] == ["mig", "mcc"]
    assert document["scores"][0]["value"] == scores["mig"].value
    assert document["scores"][0]["matrix"] == scores["mig"].matrix.tolist()
    assert document["warnings"] == scores.warnings

    lines = repr(scores).splitlines()
    assert lines[0].split() == ["metric", "value", "reading"]
    assert lines[1].split()[:2] == ["mig", f"{scores['mig']:.3f}"]
    assert lines[2].split()[:2] == ["mcc", "-"] and scores["mcc"].reason in lines[2]
    assert any(line.startswith("warning: code 4 never changes") for line in lines)


def test_a_notebook_shows_a_table_and_no_markup_of_the_users(table):
    codes, _ = table
    scores = unbraid.score(codes, {"<b>size</b>": np.zeros(len(codes))}, ["mig", "mcc"])
    shown = scores._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<b>size" not in shown
    assert any("<b>size" in warning for warning in scores.warnings)


@pytest.mark.parametrize("name", OF_FACTORS)
def test_every_metric_scores_the_same_twice(table, name):
    function = getattr(unbraid, name.replace("-", "_"))
    codes, factors = table
    # Those that need more than codes and factors say so, and say the same.
    found = []
    for _ in range(2):
        try:
            score = function(codes[:600], {k: column[:600] for k, column in factors.items()})
            found.append((score.value, score.parts))
        except unbraid.MissingError as error:
            found.append(str(error))
    assert found[0] == found[1]


def test_codes_without_factors_are_refused_by_those_that_need_them(table):
    scores = unbraid.score(table[0], metrics=["mig"])
    assert scores["mig"].reason == "these codes come without factor values"


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert unbraid.__version__ == version("unbraid")


def test_models_that_agree_are_told_from_one_that_does_not():
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(500, 3))
    score = unbraid.udr([codes, -codes[:, ::-1], codes * 2, rng.normal(size=(500, 3))])
    assert score.value == score.parts["udr/model-0"]
    assert score.parts["udr/model-1"] > 0.85  # Lasso takes its 0.1 off
    assert score.parts["udr/model-3"] < 0.5


def test_codes_alone_are_enough_for_some(table):
    codes, _ = table
    alone = [e["name"] for e in _native.metrics() if e["needs"] == "codes"]
    scores = unbraid.score(codes, metrics=alone)
    for name in alone:
        assert float(getattr(unbraid, name.replace("-", "_"))(codes)) == float(scores[name])
