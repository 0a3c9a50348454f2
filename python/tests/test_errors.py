"""Whatever a user can get wrong: an `unbraid.Error` with one clear sentence."""

import numpy as np
import pandas
import pytest
import unbraid
from unbraid import _native

CODES = np.arange(12, dtype=np.float32).reshape(6, 2) % 5
FACTORS = np.array([0, 1, 0, 1, 0, 1])
FUNCTIONS = [
    getattr(unbraid, entry["name"].replace("-", "_"))
    for entry in _native.metrics()
    if entry["needs"] in ("factors", "split")
]


def with_entry(array, entry):
    array = array.astype(np.float64)
    array.flat[3] = entry
    return array


WRONG = {
    "NaN in codes": (with_entry(CODES, np.nan), FACTORS, "code 1 of row 1 is NaN"),
    "infinity in codes": (with_entry(CODES, -np.inf), FACTORS, "code 1 of row 1 is -inf"),
    "NaN in factors": (CODES, with_entry(FACTORS, np.nan), "factor 0 of row 3 is NaN"),
    "infinity in factors": (CODES, with_entry(FACTORS, np.inf), "factor 0 of row 3 is inf"),
    "too large": (with_entry(CODES, 1e300), FACTORS, "too large for float32"),
    "no rows": (CODES[:0], FACTORS[:0], "there are no codes"),
    "no codes": (CODES[:, :0], FACTORS, "there are no codes"),
    "unequal rows": (CODES, FACTORS[:5], "codes have 6 rows and factor `factor-1` has 5"),
    "three axes": (np.zeros((6, 2, 2)), FACTORS, r"codes have shape \[6, 2, 2\]"),
    "three axes of factors": (CODES, np.zeros((6, 1, 1)), r"factors have shape \[6, 1, 1\]"),
    "a number": (1.0, FACTORS, r"codes have shape \[\]"),
    "complex codes": (CODES * 1j, FACTORS, "codes are complex numbers"),
    "complex factors": (CODES, FACTORS * 1j, "factor `factor-1` are complex numbers"),
    "objects as codes": (CODES.astype(object), FACTORS, "codes are Python objects"),
    "words as codes": (CODES.astype(str), FACTORS, "codes are words"),
    "dates": (CODES, FACTORS.astype("datetime64[D]"), "datetime64"),
    "no array at all": (None, FACTORS, "codes"),
    "ragged": ([[1.0, 2.0], [3.0]], FACTORS, "codes cannot be read as an array"),
    "masked": (np.ma.masked_greater(CODES, 3), FACTORS, "codes have masked entries"),
    "a missing word": (
        CODES,
        {"shape": np.array(["a", "b", None, "a", "b", "a"], object)},
        "that of row 2 is no word but NoneType",
    ),
    "a missing number": (
        CODES,
        pandas.DataFrame({"size": [0, 1, None, 1, 0, 1]}),
        "factor 0 of row 2 is NaN",
    ),
    "a wide column": (CODES, {"shape": np.zeros((6, 2))}, r"factor `shape` has shape \[6, 2\]"),
    "one name twice": (
        CODES,
        pandas.DataFrame(np.c_[FACTORS, FACTORS], columns=["a", "a"]),
        "two factors are named `a`",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arrays_are_refused_with_the_reason(name):
    codes, factors, reason = WRONG[name]
    for ask in (unbraid.score, unbraid.mig):
        with pytest.raises(unbraid.ArrayError, match=reason) as caught:
            ask(codes, factors)
        assert isinstance(caught.value, ValueError)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("case", ["one row", "one class", "one factor", "constant codes"])
def test_what_is_too_little_is_a_number_or_a_reason(function, case):
    codes, factors = {
        "one row": (CODES[:1], FACTORS[:1]),
        "one class": (CODES, np.zeros(6, int)),
        "one factor": (CODES, FACTORS),
        "constant codes": (np.zeros((6, 2)), FACTORS),
    }[case]
    try:
        assert np.isfinite(float(function(codes, factors)))
    except unbraid.Error as error:
        assert len(str(error)) > 20 and "\n" not in str(error)


def test_one_that_cannot_be_computed_raises_alone_and_is_recorded_among_others():
    constant = np.zeros(6, int)
    with pytest.raises(unbraid.MissingError) as caught:
        unbraid.mcc(CODES, constant)
    score = unbraid.score(CODES, constant)["mcc"]
    assert score.value is None and score.reason == str(caught.value)


def test_an_unknown_metric_is_answered_with_the_nearest():
    with pytest.raises(
        unbraid.UnknownError, match="unknown metric `mcc-spaerman`; did you mean `mcc-spearman`"
    ):
        unbraid.score(CODES, FACTORS, ["mcc_spaerman"])
    with pytest.raises(unbraid.SettingError, match="`metrics` is empty"):
        unbraid.score(CODES, FACTORS, [])
    with pytest.raises(unbraid.SettingError, match="give names"):
        unbraid.score(CODES, FACTORS, [unbraid.mig])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"bins": 0}, "`bins` is 0"),
        ({"bins": 2.5}, "`bins` is 2.5; it must be a whole number"),
        ({"seed": -1}, "`seed` is -1"),
        ({"seed": 2**64}, "`seed` is 18446744073709551616"),
        ({"bootstrap": -1}, "`bootstrap` is -1"),
        ({"train_rows": 0, "test_rows": 1}, "`train_rows` is 0"),
    ],
)
def test_options_out_of_range_are_refused(options, reason):
    for ask in (unbraid.score, unbraid.mig):
        with pytest.raises(unbraid.SettingError, match=reason):
            ask(CODES, FACTORS, **options)


def test_more_rows_than_there_are_cannot_be_split_off():
    with pytest.raises(unbraid.Error, match="5 train rows and 2 test rows do not fit into 6"):
        unbraid.score(CODES, FACTORS, train_rows=5, test_rows=2)


def test_names_must_fit():
    with pytest.raises(unbraid.ArrayError, match="2 names are given for 1 factors"):
        unbraid.mig(CODES, FACTORS, names=["a", "b"])
    with pytest.raises(unbraid.ArrayError, match="bring their names with them"):
        unbraid.mig(CODES, {"a": FACTORS}, names=["a"])


def test_models_must_be_of_the_same_rows_and_more_than_one():
    with pytest.raises(unbraid.ArrayError, match="1 models are given"):
        unbraid.udr([CODES])
    with pytest.raises(unbraid.ArrayError, match="model 0 has 6 rows and model 1 has 5"):
        unbraid.udr([CODES, CODES[:5]])
    with pytest.raises(unbraid.ArrayError, match="kl must have a row for each model"):
        unbraid.udr([CODES, CODES], kl=[[0.1, 0.2]])


def test_what_the_callback_raises_comes_through():
    def progress(metric, share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        unbraid.score(CODES, FACTORS, progress=progress)


def test_every_error_has_one_root():
    kinds = (unbraid.ArrayError, unbraid.SettingError, unbraid.MissingError, unbraid.UnknownError)
    assert all(issubclass(kind, unbraid.Error) for kind in kinds)
    assert unbraid.ArrayError.__module__ == "unbraid"
