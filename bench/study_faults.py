"""Many tiny runs by several workers, one of which is killed every few seconds: is anything lost, anything done twice?

    cargo build --release
    python3 bench/study_faults.py --runs 1000 --workers 4            # kill -9, SIGSTOP and SIGTERM
    python3 bench/study_faults.py --runs 1000 --slurm                # requeue, preemption, scancel, death of slurmd

The same study is first worked on without disturbance; every weight of the second must have the same bytes. Slurm is
started on this machine for it, which needs root and Debian's packages slurmctld, slurmd, slurm-client and munge.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import slurm_here

FILE = """
takeover = {takeover}
data.name = "squares"
train = {{ steps = {steps}, batch = 16, threads = 1, log_every = 20, checkpoint_every = 20 }}
score = {{ metrics = ["mig"], rows = 200 }}
model = {{ name = "vae", latents = 3, net = "fc", width = 8 }}
vary.seed = {seeds}
"""


def unbraid(program: Path, *words: str) -> None:
    """Run the program; it must succeed."""
    subprocess.run([program, "--quiet", *words], check=True, stdout=subprocess.DEVNULL)


def weights(study: Path) -> dict[str, str]:
    """The checksum of every model of a study."""
    models = sorted((study / "runs").glob("*/model.safetensors"))
    return {model.parent.name: hashlib.sha256(model.read_bytes()).hexdigest() for model in models}


def attempts(study: Path) -> dict[str, list[dict]]:
    """Every attempt at every run."""
    found: dict[str, list[dict]] = {}
    for path in sorted((study / "attempts").glob("*.json")):
        run = path.name.rsplit(".", 2)[0]
        found.setdefault(run, []).append(json.loads(path.read_text()))
    return found


def start(program: Path, study: Path, shard: int) -> subprocess.Popen:
    """Start a worker."""
    words = [program, "--quiet", "study", "work", study, "--shard", str(shard)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def disturb(program: Path, study: Path, workers: int, every: float, rng: random.Random) -> dict:
    """Work on a study, and disturb a worker every few seconds, until all is done."""
    crew = [start(program, study, shard) for shard in range(workers)]
    done = {"kill -9": 0, "SIGTERM": 0, "SIGSTOP, longer than the takeover": 0}
    asleep: list[tuple[float, subprocess.Popen]] = []
    following = time.monotonic() + every
    while any(one.poll() is None for one in crew):
        time.sleep(0.05)
        now = time.monotonic()
        for woken in [one for one in asleep if one[0] < now]:
            woken[1].send_signal(signal.SIGCONT)
            asleep.remove(woken)
        if now < following:
            continue
        following = now + rng.uniform(0.5, 1.5) * every
        alive = [k for k, one in enumerate(crew) if one.poll() is None]
        alive = [k for k in alive if all(one[1] is not crew[k] for one in asleep)]
        if not alive:
            continue
        k, how = rng.choice(alive), rng.choice([*done, "kill -9"])
        done[how] += 1
        if how.startswith("SIGSTOP"):
            crew[k].send_signal(signal.SIGSTOP)
            asleep.append((now + 8, crew[k]))
        else:
            crew[k].send_signal(signal.SIGKILL if how == "kill -9" else signal.SIGTERM)
            crew[k].wait()
            crew[k] = start(program, study, k)
    for _, one in asleep:
        one.send_signal(signal.SIGCONT)
        one.wait()
    return done


def judge(reference: Path, study: Path, runs: int) -> bool:
    """Say what became of a study that was disturbed."""
    made, wanted, tried = weights(study), weights(reference), attempts(study)
    ends = [[one["ended"] for one in all_of].count("done") for all_of in tried.values()]
    more = [len(all_of) for all_of in tried.values() if len(all_of) > 1]
    held = sum(one["ended"] is None for all_of in tried.values() for one in all_of)
    litter = len(list((study / "work").iterdir()))
    same = sum(made.get(run) == checksum for run, checksum in wanted.items())
    print(f"| complete | {len(made)} of {runs} |")
    print(f"| weights of the same bytes as undisturbed | {same} of {runs} |")
    print(f"| ended as done more than once | {sum(end > 1 for end in ends)} |")
    print(f"| runs with several attempts | {len(more)}, at most {max(more, default=1)} |")
    print(f"| attempts whose worker never wrote an end | {held} |")
    print(f"| directories left in work/ | {litter} |")
    return len(made) == same == runs and all(end <= 1 for end in ends)


def main() -> int:
    """Plan the study twice, work on both, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between disturbances")
    parser.add_argument("--takeover", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slurm", action="store_true")
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--program", type=Path, default=root / "target/release/unbraid")
    asked = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="study-faults-"))
    file = place / "study.toml"
    seeds = list(range(asked.runs))
    file.write_text(FILE.format(takeover=asked.takeover, steps=asked.steps, seeds=seeds))
    reference, study = place / "undisturbed", place / "disturbed"
    for directory in (reference, study):
        unbraid(asked.program, "study", "plan", str(file), "--out", str(directory))
    begun = time.monotonic()
    unbraid(asked.program, "study", "work", str(reference), "--jobs", str(os.cpu_count()))
    undisturbed = time.monotonic() - begun
    begun = time.monotonic()
    if asked.slurm:
        done = slurm_here.disturb(asked.program, study, place / "slurm")
    else:
        rng = random.Random(asked.seed)
        done = disturb(asked.program, study, asked.workers, asked.every, rng)
    print(f"| {asked.runs} runs, {asked.steps} steps each | |\n|---|---|")
    print(f"| undisturbed | {undisturbed:.0f} s |")
    print(f"| disturbed | {time.monotonic() - begun:.0f} s |")
    for what, count in done.items():
        print(f"| {what} | {count} times |")
    return 0 if judge(reference, study, asked.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
