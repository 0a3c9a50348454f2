"""A study's results as data frames, and its workers on a real Ray.

`cargo xtask test` names the program in UNBRAID_PROGRAM.
"""

import os
import subprocess
import sys

import pandas
import polars
import pytest

PROGRAM = os.environ.get("UNBRAID_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="UNBRAID_PROGRAM names no program")

FILE = """
data.name = "squares"
train = { steps = 6, batch = 16, threads = 1, log_every = 1 }
score = { metrics = ["mig", "total-correlation"], sampled = ["total-correlation"], rows = 200 }
[vary]
seed = [0, 1]
[[rows]]
name = "β-VAE"
model = { name = "beta-vae", latents = 3, net = "fc", width = 8 }
vary.model.beta = [1, 2.5]
[[rows]]
name = "PCA"
model = { name = "pca", latents = 3 }
"""


@pytest.fixture
def study(tmp_path):
    """A study of six runs that nobody has begun."""
    (tmp_path / "file.toml").write_text(FILE)
    subprocess.run(
        [PROGRAM, "study", "plan", tmp_path / "file.toml", "--out", tmp_path / "study"], check=True
    )
    return tmp_path / "study"


def test_results_are_read_by_pandas_and_polars(study):
    subprocess.run([PROGRAM, "--quiet", "study", "work", study], check=True)
    frame = pandas.read_parquet(study / "results.parquet")
    other = polars.read_parquet(study / "results.parquet")
    text = pandas.read_csv(study / "results.csv")
    mig = other.filter((polars.col("metric") == "mig") & (polars.col("representation") == "mean"))
    assert mig.height == 6
    assert mig["value"].is_between(0, 1).all()
    assert sorted(mig["model.beta"].drop_nulls().to_list()) == [1, 1, 2.5, 2.5]
    assert set(other["row"]) == {"β-VAE", "PCA"}
    drawn = text[(text.representation == "sampled") & (text.metric == "total-correlation")]
    # PCA has nothing to draw.
    assert list(drawn.model) == ["beta-vae"] * 4
    assert list(text.columns) == other.columns
    assert list(frame.columns) == other.columns
    assert (frame.value - text.value).abs().max() == 0


def test_ray_works_on_a_study(study, tmp_path):
    pytest.importorskip("ray", reason="ray is not installed")
    words = [sys.executable, "-m", "unbraid.ray_driver", study, f"--program={PROGRAM}", "--shards=2"]
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    done = subprocess.run(words, env={**os.environ, **quiet}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list((study / "runs").glob("*/scores.json"))) == 6
    # Again: nothing is left to do.
    again = [PROGRAM, "--quiet", "study", "submit", study, "--engine", "ray"]
    environment = {**os.environ, **quiet, "UNBRAID_PYTHON": sys.executable}
    assert subprocess.run(again, env=environment, capture_output=True).returncode == 0
    assert len(list((study / "attempts").iterdir())) == 6
