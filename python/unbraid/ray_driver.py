"""Have Ray run the workers of a study: ``python -m unbraid.ray_driver DIRECTORY --shards 8``.

Ray only starts them. Which run is whose, and what is done, is in the directory of the study, which every node must
see; when this program is stopped, or Ray dies, the same command goes on. Needs ``pip install unbraid[ray]``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys


def arguments() -> argparse.Namespace:
    """The words of the command."""
    parser = argparse.ArgumentParser(prog="python -m unbraid.ray_driver", description=__doc__)
    parser.add_argument("directory", help="the study directory, by a path that every node knows")
    parser.add_argument("--shards", type=int, default=1, help="how many workers")
    parser.add_argument("--cores", type=int, default=1, help="the cores of each worker")
    parser.add_argument("--program", default=shutil.which("unbraid") or "unbraid")
    parser.add_argument("--address", help="HOST:PORT of a cluster; otherwise as ray.init finds one")
    return parser.parse_args()


def main() -> int:
    """Start the workers and wait for them."""
    asked = arguments()
    try:
        import ray
    except ImportError:
        print("error: Ray is not installed; pip install 'unbraid[ray]'", file=sys.stderr)
        return 1
    ray.init(address=asked.address, log_to_driver=True, configure_logging=False)
    words = [asked.program, "study", "work", asked.directory, "--threads", str(asked.cores)]

    @ray.remote(num_cpus=asked.cores, max_retries=3)
    def work(shard: int) -> int:
        # All but the first leave when nothing is left to begin.
        leave = [] if shard == 0 else ["--no-wait"]
        return subprocess.run([*words, "--shard", str(shard), *leave], check=False).returncode

    codes = ray.get([work.remote(shard) for shard in range(asked.shards)])
    # What failed is told by the first worker, which waits for the others.
    return int(codes[0])


if __name__ == "__main__":
    sys.exit(main())
