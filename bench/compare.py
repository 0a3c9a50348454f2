"""unbraid beside PyTorch, interleaved in one run.

    python3 bench/compare.py [--rounds 7] [--threads 2] [--cases conv1,mlp]

Installs PyTorch into target/bench-venv the first time, builds unbraid, checks that both compute the
same gradients, and then lets every contestant of a case run in turn, round after round. Each prints
the median and the best of its own steps; the table has the median over rounds of the medians, the best
of the bests, and how many times faster unbraid is than each. Nothing else should run meanwhile.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "target" / "bench-venv"
TORCH = "torch==2.15.0"

# glibc's allocator told to keep large blocks: what unbraid's own allocator does for unbraid.
TUNED = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "17179869184",
    "MALLOC_TOP_PAD_": "268435456",
}

EAGER = ("PyTorch eager", [], {})
EAGER_TUNED = ("PyTorch eager, malloc tuned", [], TUNED)
BEST = ("PyTorch channels_last, malloc tuned", ["--channels-last"], TUNED)
BEST_FUSED = ("PyTorch channels_last, fused Adam, tuned", ["--channels-last", "--fused"], TUNED)
FUSED = ("PyTorch fused Adam, malloc tuned", ["--fused"], TUNED)
FUSED_PLAIN = ("PyTorch fused Adam", ["--fused"], {})

# name: title, verb, options of both, steps, contestants
CASES = {
    "conv1": ("beta-VAE conv4 1x64x64 batch 64, step", "step", dict(net="conv4", shape="1x64x64"), 30,
              [EAGER, EAGER_TUNED, BEST, BEST_FUSED]),
    "conv3": ("beta-VAE conv4 3x64x64 batch 64, step", "step", dict(net="conv4", shape="3x64x64"), 30,
              [EAGER, EAGER_TUNED, BEST, BEST_FUSED]),
    "study": ("beta-VAE conv (the study's net) 1x64x64 batch 64, step", "step",
              dict(net="conv", shape="1x64x64"), 30, [EAGER, BEST]),
    "dense": ("beta-VAE fc of 186 M parameters (4x96x96, width 2306) batch 64, step", "step",
              dict(net="fc", shape="4x96x96", width=2306), 4, [EAGER, FUSED_PLAIN, FUSED]),
    "mlp": ("beta-VAE fc of 100 units on vectors of 40, batch 64, step", "step",
            dict(net="fc", shape="40x1x1", width=100), 300, [EAGER, FUSED]),
    "ivae": ("iVAE on vectors of 5 with labels of 4, batch 64, step", "step",
             dict(model="ivae", shape="5x1x1"), 300, [EAGER, FUSED]),
    "encode": ("encoding 1x64x64 images, conv4, batch 256", "encode",
               dict(net="conv4", shape="1x64x64", batch=256), 20, [EAGER, BEST]),
}


def python():
    """The interpreter of the environment with PyTorch."""
    interpreter = VENV / "bin" / "python"
    if not interpreter.exists():
        print(f"installing {TORCH} into {VENV.relative_to(ROOT)} ...", file=sys.stderr)
        venv.create(VENV, with_pip=True)
        packages = [TORCH, "numpy", "safetensors"]
        subprocess.run([interpreter, "-m", "pip", "install", "-q", *packages], check=True)
    return str(interpreter)


def run(command, environment=None):
    env = {**os.environ, **(environment or {})}
    result = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stderr}")
    return result.stdout


def unbraid(verb, options, steps, threads):
    command = ["target/release/unbraid", "bench", verb, "--json", "--steps", str(steps)]
    command += ["--shape", options["shape"], "--batch", str(options.get("batch", 64))]
    command += ["--threads", str(threads), "--model", options.get("model", "beta-vae")]
    for key in ("net", "width"):
        if key in options:
            command += ["--set", f"model.{key}={options[key]}"]
    if options.get("model") == "ivae":
        command += ["--set", "model.likelihood=gaussian"]
    found = json.loads(run(command))
    return {"median": found[f"ms_per_{verb}"], "best": found[f"best_ms_per_{verb}"], **found}


def torch_twin(verb, options, steps, threads, extra, environment):
    command = [python(), "bench/torch_twin.py", verb, "--steps", str(steps), "--threads", str(threads)]
    for key, value in options.items():
        command += [f"--{key}", str(value)]
    environment = {"OMP_NUM_THREADS": str(threads), **environment}
    return json.loads(run(command + extra, environment))


def report(title, found):
    """A table of the contestants; the first is what the others are compared with."""
    print(f"\n{title}")
    print(f"{'':42} {'median ms':>10} {'best ms':>9} {'ratio':>7} {'ratio of bests':>15} {'MB':>6}")
    ours = None
    for label, results in found.items():
        median = statistics.median(r["median"] for r in results)
        best = min(r["best"] for r in results)
        memory = max(r["peak_rss_mb"] for r in results)
        ours = ours or (median, best)
        ratios = f"{median / ours[0]:7.2f} {best / ours[1]:15.2f}"
        print(f"{label:42} {median:10.2f} {best:9.2f} {ratios} {memory:6.0f}", flush=True)


def case(name, rounds, threads):
    title, verb, options, steps, contestants = CASES[name]
    found = {"unbraid": []}
    for _ in range(rounds):
        found["unbraid"].append(unbraid(verb, options, steps, threads))
        for label, extra, environment in contestants:
            result = torch_twin(verb, options, steps, threads, extra, environment)
            found.setdefault(label, []).append(result)
    report(f"{title}, {threads} threads, {rounds} rounds of {steps}", found)


def scaling(rounds):
    """unbraid alone, with two threads and with one."""
    found = {}
    for _ in range(rounds):
        for threads in (2, 1):
            result = unbraid("step", dict(net="conv4", shape="1x64x64"), 30, threads)
            found.setdefault(f"unbraid, {threads} threads", []).append(result)
    report(f"beta-VAE conv4 1x64x64 batch 64, step, {rounds} rounds of 30", found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cases", default=",".join([*CASES, "scaling"]))
    parser.add_argument("--no-check", action="store_true", help="do not compare gradients first")
    options = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    if not options.no_check:
        subprocess.run([sys.executable, "bench/gradients.py"], cwd=ROOT, check=True)
    version = run([python(), "-c", "import torch; print(torch.__version__)"]).strip()
    ours = unbraid("step", dict(net="fc", shape="4x1x1"), 1, options.threads)
    print(f"{platform.machine()} with {ours['cpu']}, {run(['target/release/unbraid', '--version']).strip()} with its own "
          f"allocator, PyTorch {version}; 'malloc tuned' is {' '.join(f'{k}={v}' for k, v in TUNED.items())}")
    for name in options.cases.split(","):
        if name == "scaling":
            scaling(options.rounds)
        else:
            case(name, options.rounds, options.threads)


if __name__ == "__main__":
    main()
