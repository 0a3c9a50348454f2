"""What a large study costs beside its trainings: planning, status, gather, analyse, and claiming by many workers at once.

    cargo build --release
    python3 bench/study_scale.py

The runs are fakes: each is a copy of one tiny run with another seed. Prints a table; nothing else should run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAKE = """
data.name = "squares"
[train]
steps = 20
batch = 16
threads = 1
[score]
metrics = ["mig"]
rows = 100
[vary]
seed = {seeds}
[[rows]]
name = "VAE"
model = {{ name = "vae", latents = 3, net = "fc", width = 8 }}
vary.model.width = {widths}
"""


def timed(*words: object) -> tuple[float, float]:
    """The seconds and the most memory in MB of a command."""
    begun = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{words} failed")
    return time.monotonic() - begun, usage.ru_maxrss / 1024


def fill(study: Path, finished: Path) -> None:
    """Give every run of a study what a finished one has."""
    settings = (finished / "run.toml").read_text()
    names = [line.split('"')[1] for line in (study / "names").read_text().splitlines()]
    for name in names:
        run = study / "runs" / name
        run.mkdir()
        seed = re.search(r"seed-(\d+)$", name)
        text = re.sub(r"^seed = \d+", f"seed = {seed.group(1) if seed else 0}", settings, flags=re.M)
        (run / "run.toml").write_text(text)
        for file in ("log.jsonl", "model.safetensors", "scores.json"):
            shutil.copy(finished / file, run / file)
        attempt = {"worker": "w", "host": "h", "process": 1, "ended": "done", "seconds": 60.0}
        (study / "attempts" / f"{name}.1.json").write_text(json.dumps(attempt))


METHODS = ("β-VAE", "FactorVAE", "DIP-VAE-I", "DIP-VAE-II", "β-TCVAE", "AnnealedVAE")
DATA = ("dsprites", "color-dsprites", "noisy-dsprites", "scream-dsprites", "smallnorb", "cars3d", "shapes3d")


def numbers(draw: random.Random, strength: int) -> list[tuple[str, str, float]]:
    """What a model of the study is known by: scores that depend on one quality, losses, and a downstream task."""
    quality = draw.gauss(0.4 + 0.04 * strength, 0.1)
    found = [
        ("mean", metric, slope * quality + draw.gauss(0, 0.05))
        for metric, slope in (
            ("beta-vae-score", 0.4),
            ("factor-vae-score", 0.5),
            ("mig", 0.4),
            ("dci", 0.5),
            ("modularity", 0.0),
            ("sap", 0.1),
        )
    ]
    for of in ("sampled", "mean"):
        found += [(of, metric, draw.random()) for metric in ("total-correlation", "wasserstein", "mutual-info")]
    found += [("training", term, draw.gauss(20, 5)) for term in ("reconstruction", "kl")]
    for task in ("downstream-lr", "downstream-gbt"):
        found += [("mean", f"{task}/test/{rows}", draw.random()) for rows in (10, 100, 1000, 10_000)]
        found.append(("mean", f"{task}/statistical_efficiency", draw.random()))
    return found


def table(path: Path) -> int:
    """Write the numbers of 7 x 6 x 6 x 50 models as `study gather` does; how many models there are."""
    draw, models = random.Random(0), 0
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow("run row data model seed model.beta representation metric value".split())
        for data, method, strength, seed in itertools.product(DATA, METHODS, range(6), range(50)):
            for of, metric, value in numbers(draw, strength):
                rows.writerow([f"run-{models}", method, data, method, seed, strength, of, metric, round(value, 5)])
            models += 1
    return models


def main() -> int:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/unbraid")
    asked = parser.parse_args()
    place, program = Path(tempfile.mkdtemp(prefix="study-scale-")), asked.program
    print("| what | seconds | MB |\n|---|---|---|")

    published = ROOT / "studies/locatello-2019.toml"
    words = [program, "--quiet", "study", "plan", published, "--out", place / "published"]
    try:
        seconds, memory = timed(*words)
        print(f"| planning the 12,600 runs of locatello-2019 | {seconds:.2f} | {memory:.0f} |")
    except SystemExit:
        seconds, memory = timed(*words, "--leave-out", "smallnorb,cars3d")
        print(f"| planning locatello-2019 without data that are not here | {seconds:.2f} | {memory:.0f} |")

    # 12,600 finished runs: 7 x 36 x 50.
    file = place / "file.toml"
    many = {"seeds": list(range(50)), "widths": list(range(8, 8 + 252))}
    file.write_text(FAKE.format(**{key: json.dumps(value) for key, value in many.items()}))
    study = place / "finished"
    seconds, memory = timed(program, "--quiet", "study", "plan", file, "--out", study)
    print(f"| planning 12,600 tiny runs | {seconds:.2f} | {memory:.0f} |")
    one = place / "one"
    subprocess.run(
        [program, "--quiet", "study", "work", study, "--only", "vae-width-8-seed-0"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.move(study / "runs/vae-width-8-seed-0", one)
    status = subprocess.run(
        [program, "study", "status", study, "--json"], check=True, capture_output=True, text=True
    )
    names = [run["run"] for run in json.loads(status.stdout)["runs"]]
    (study / "names").write_text("\n".join(f'"{name}"' for name in names))
    fill(study, one)
    for verb in ("status", "gather"):
        seconds, memory = timed(program, "--quiet", "study", verb, study)
        print(f"| {verb} over {len(names)} finished runs | {seconds:.2f} | {memory:.0f} |")

    models = table(place / "table.csv")
    seconds, memory = timed(
        program, "--quiet", "study", "analyse", "--table", place / "table.csv", "--out", place / "analysis"
    )
    print(f"| analyse over a table of {models} models | {seconds:.2f} | {memory:.0f} |")

    # Claiming: 64 workers at once whose program for runs is one that ends at once.
    claims = subprocess.run(
        ["cargo", "run", "--release", "--quiet", "--example", "study_claims", "--", str(place / "claims")],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    print(claims.stdout.strip())
    shutil.rmtree(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
