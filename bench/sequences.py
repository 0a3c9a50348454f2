"""Training steps of the models of sequences and of actions, unbraid beside PyTorch, interleaved in one run.

    python3 bench/sequences.py [--rounds 5] [--models citris-vae,slow-vae] [--program FILE] [--best]

Of each model, unbraid and its twin in torch_sequences.py or torch_actions.py run in turn, round after round. The table has
the medians over rounds of the medians of each, and how many times faster unbraid is. Installs PyTorch
into target/bench-venv the first time, and builds unbraid unless it is given. Nothing else should run
meanwhile.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from compare import BEST_FUSED, EAGER, ROOT, python, run  # noqa: E402

# name: the shape of an image, further settings of unbraid
MODELS = {
    "autoencoder": ("4x32x32", []),
    "slow-vae": ("4x32x32", []),
    "transition-ivae": ("4x32x32", []),
    "citris-vae": ("4x32x32", ["--set", "model.interventions=perfect"]),
    "citris-nf": ("4x32x32", ["--set", "model.interventions=perfect"]),
    "biscuit-vae": ("3x32x32", []),
    "biscuit-nf": ("3x32x32", []),
    "mcq-vae": ("3x64x64", []),
    "ct-vae": ("3x64x64", []),
}
OF_ACTIONS = ["mcq-vae", "ct-vae"]


def unbraid(model, options):
    shape, settings = MODELS[model]
    command = [options.program, "bench", "step", "--json", "--model", model, "--shape", shape]
    command += ["--batch", str(options.batch), "--steps", str(options.steps)]
    found = json.loads(run([*command, "--threads", str(options.threads), *settings]))
    return found["ms_per_step"]


def torch_twin(model, options, extra, environment):
    script = "bench/torch_actions.py" if model in OF_ACTIONS else "bench/torch_sequences.py"
    command = [python(), script, "--model", model, "--shape", MODELS[model][0]]
    command += ["--batch", str(options.batch), "--repeats", str(options.steps)]
    command += ["--threads", str(options.threads), *extra]
    environment = {"OMP_NUM_THREADS": str(options.threads), **environment}
    return json.loads(run(command, environment))["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30, help="of each in a round")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--models", type=lambda names: names.split(","), default=list(MODELS))
    parser.add_argument("--program", type=Path, help="an unbraid that is built already; built here if left out")
    parser.add_argument("--best", action="store_true", help=f"{BEST_FUSED[0]} in place of {EAGER[0]}")
    options = parser.parse_args()
    unknown = [name for name in options.models if name not in MODELS]
    if unknown:
        parser.error(f"no twin of {', '.join(unknown)}; there are {', '.join(MODELS)}")
    if options.program is None:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
        options.program = ROOT / "target" / "release" / "unbraid"
    options.program = options.program.resolve()
    label, extra, environment = BEST_FUSED if options.best else EAGER
    print(f"batch {options.batch}, {options.threads} threads, {options.rounds} rounds of {options.steps} steps\n")
    print(f"| model | unbraid ms | {label} ms | ratio |\n|---|---|---|---|", flush=True)
    for model in options.models:
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(unbraid(model, options))
            theirs.append(torch_twin(model, options, extra, environment))
        ours, theirs = statistics.median(ours), statistics.median(theirs)
        print(f"| `{model}` | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main()
