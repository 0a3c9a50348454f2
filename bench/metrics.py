"""Every metric twice in one run: as the field computes it in Python, and by unbraid.

    python3 bench/metrics.py [--rounds 5] [--slow-rounds 1] [--only mig,sap] [--all]

The input is the golden set's table of the size of a study: 10,000 train and 5,000 test rows, 10 codes, 5
factors. The references are in metric_references.py: scikit-learn, SciPy, NumPy and minepy, on one thread as
the originals run; unbraid has two. Both tell their own seconds, without start-up and reading files. Nothing
else should run meanwhile.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "metrics-venv"
MADE = ROOT / "target" / "metrics-bench"
STUDY = ROOT / "crates" / "measure" / "tests" / "golden" / "study"
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"]
BUILD_PACKAGES = ["cython==3.2.*", "setuptools<81", "wheel"]
MINEPY = "minepy==1.2.6"
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")

# How many times faster than its reference each metric shall be; all of them in one call in 40 seconds.
ASKED = {
    "beta-vae-score": 5, "higgins-score": 5, "factor-vae-score": 5, "mig": 2, "mig-continuous": 2, "dci": 40,
    "sap": 10, "sap-continuous": 2, "modularity": 2, "explicitness": 3, "irs": 2, "total-correlation": 2,
    "wasserstein": 2, "mutual-info": 2, "mcc": 2, "mcc-spearman": 2, "mic": 5, "tic": 5, "mic-e": 5, "tic-e": 5,
    "alignment": 2, "shd": 2, "downstream-lr": 5, "downstream-gbt": 40, "fairness": 2, "udr": 2,
    "infomec": 10, "t-mex": 10, "r2": 2, "mcc-coverage": 2, "mcc-crossfit": 2, "dci-regression": 10, "dcimig": 2,
    "mig-sup": 2, "jemmig": 2,
}
ASKED_OF_ALL = 40
SLOW = {"dci", "downstream-gbt", "fairness", "downstream-lr", "mic", "tic", "mic-e", "tic-e", "alignment",
        "infomec", "t-mex", "dci-regression"}
WARM_UP = "mutual-info"
NEEDS_MINEPY = {"mic", "tic", "mic-e", "tic-e"}


def python():
    """The interpreter of the environment with the references, and whether it has minepy."""
    interpreter = VENV / "bin" / "python"
    pip = [interpreter, "-m", "pip"]
    if not interpreter.exists():
        print(f"installing {', '.join(PACKAGES)} into {VENV.relative_to(ROOT)} ...", file=sys.stderr)
        venv.create(VENV, with_pip=True)
        subprocess.run([*pip, "install", "-q", *PACKAGES, *BUILD_PACKAGES], check=True)
        build_minepy(interpreter, pip)
    found = subprocess.run([interpreter, "-c", "import minepy"], capture_output=True)
    return str(interpreter), found.returncode == 0


def build_minepy(interpreter, pip):
    """minepy 1.2.6 names a type that NumPy has dropped; with the type's new name it compiles."""
    with tempfile.TemporaryDirectory() as directory:
        source = ["download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", "minepy", MINEPY]
        try:
            subprocess.run([*pip, *source, "-d", directory], check=True)
            with tarfile.open(next(Path(directory).glob("minepy-*.tar.gz"))) as archive:
                archive.extractall(directory, filter="data")
            sources = next(Path(directory).glob("minepy-*/setup.py")).parent
            module = sources / "minepy" / "mine.pyx"
            module.write_text(module.read_text().replace("np.float_t", "np.float64_t"))
            subprocess.run([interpreter, "-m", "cython", "-3", module], check=True, capture_output=True)
            subprocess.run([*pip, "install", "-q", "--no-deps", "--no-build-isolation", sources], check=True)
        except (subprocess.CalledProcessError, StopIteration) as problem:
            print(f"{MINEPY} could not be built: {problem}", file=sys.stderr)


def run(command, environment):
    env = {**os.environ, **environment}
    result = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        last = (result.stderr.strip() or "no message").splitlines()[-1]
        raise RuntimeError(f"{Path(command[0]).name} said: {last}")
    return json.loads(result.stdout)


def inputs(name):
    """What a metric looks at, as options of unbraid; run_reference.py knows the same files."""
    if name == "udr":
        return ["--codes", *sorted(MADE.glob("model*.npy"))]
    if name == "shd":
        return ["--graph", MADE / "graph.npy", "--true-graph", MADE / "true_graph.npy"]
    return ["--codes", STUDY / "study.codes.npy", "--factors", STUDY / "study.factors.npy",
            "--train-rows", "10000", "--test-rows", "5000"]


def unbraid(names, given, options):
    command = [options.program, "score", *given, "--metrics", names, "--json"]
    return run(list(map(str, command)), {"RAYON_NUM_THREADS": str(options.threads)})["scores"]


def ours(name, options):
    """Another metric goes first and wakes the threads, as the first call of a short reference does not count."""
    names = name if name == "shd" else f"{WARM_UP},{name}"
    return next(score for score in unbraid(names, inputs(name), options) if score["metric"] == name)


def reference(name, interpreter):
    return run([interpreter, "bench/run_reference.py", name, str(STUDY), str(MADE)], ONE_THREAD)


def compare(name, options, interpreter):
    """Both in turn, round after round; the slow references in the first rounds only."""
    found, theirs = [], []
    for turn in range(options.rounds):
        found.append(ours(name, options))
        if found[-1]["value"] is None:
            raise RuntimeError(found[-1]["reason"])
        if turn < (options.slow_rounds if name in SLOW else options.rounds):
            theirs.append(reference(name, interpreter))
    return found, theirs


def report(name, found, theirs):
    """One line with the times, and one more for each part that both have."""
    seconds = statistics.median(score["seconds"] for score in theirs)
    median = statistics.median(score["seconds"] for score in found)
    best = min(score["seconds"] for score in found)
    ratio = seconds / median
    verdict = "" if ratio >= ASKED[name] else "  below"
    values = theirs[0]["values"]
    print(line(name, values["value"], found[0]["value"])
          + f" {seconds:10.3f} {median:9.4f} {best:9.4f} {ratio:8.1f} {ASKED[name]:6}{verdict}", flush=True)
    for part, value in values.items():
        if part in found[0]["parts"]:
            print(line(f"  {part}", value, found[0]["parts"][part]), flush=True)


def line(name, theirs, ours):
    return f"{name:24} {theirs:10.5f} {ours:10.5f} {ours - theirs:10.1e}"


def time_all(options):
    """The wall clock of one call with every metric, with start-up and reading files."""
    seconds = []
    for _ in range(options.rounds):
        start = time.perf_counter()
        scores = unbraid("all", inputs("mig"), options)
        seconds.append(time.perf_counter() - start)
    scored = sum(score["value"] is not None for score in scores)
    print(f"\n--metrics all: {scored} of {len(scores)} metrics have a value; median {statistics.median(seconds):.1f} s, "
          f"best {min(seconds):.1f} s (asked: under {ASKED_OF_ALL} s)")
    for score in sorted(scores, key=lambda score: -score["seconds"]):
        print(f"  {score['metric']:24} {score['seconds']:9.4f} s  {score.get('reason', '')}")


def choose(options):
    """The metrics that both have; says which are left out, and why."""
    listed = run([options.program, "list", "metrics", "--json"], {})["metrics"]
    known = [metric["name"] for metric in listed]
    unknown = [name for name in options.only or known if name not in ASKED]
    wanted = options.only or list(ASKED)
    missing = [name for name in wanted if name in ASKED and name not in known]
    for why, names in (("no reference for", unknown), ("not in the program:", missing)):
        if names:
            print(why, ", ".join(names))
    return [name for name in wanted if name in known and name in ASKED]


def table(names, options):
    interpreter, minepy = python()
    subprocess.run([interpreter, "bench/run_reference.py", "make", STUDY, MADE], cwd=ROOT, check=True)
    print(f"{'':24} {'reference':>10} {'unbraid':>10} {'off by':>10} {'reference s':>11} {'median s':>9} {'best s':>9}"
          f" {'ratio':>7} {'asked':>6}")
    for name in names:
        if name in NEEDS_MINEPY and not minepy:
            print(f"{name:24} skipped: minepy could not be built")
            continue
        try:
            report(name, *compare(name, options, interpreter))
        except RuntimeError as reason:
            print(f"{name:24} not compared: {reason}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow-rounds", type=int, default=1, help=f"of the references of {', '.join(sorted(SLOW))}")
    parser.add_argument("--threads", type=int, default=2, help="of unbraid")
    parser.add_argument("--only", type=lambda names: names.split(","), help="metrics by name, with commas between")
    parser.add_argument("--program", type=Path, help="an unbraid that is built already; built here if left out")
    parser.add_argument("--all", action="store_true", help="only the time of --metrics all")
    options = parser.parse_args()
    if options.program is None:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
        options.program = ROOT / "target" / "release" / "unbraid"
    options.program = options.program.resolve()
    if not options.all:
        table(choose(options), options)
    if options.all or not options.only:
        time_all(options)


if __name__ == "__main__":
    main()
