"""Ten data sets that nobody here prepared, from packages, each through `data info`, `train`, `score` and `report`.

    python3 -m venv V && V/bin/pip install scikit-learn statsmodels scikit-image vega_datasets sktime pandas pillow
    V/bin/python bench/ten_data_sets.py DIRECTORY                     # only write the files
    V/bin/python bench/ten_data_sets.py DIRECTORY target/release/unbraid --steps 1000

Prints a row per data set: whether every command ended well, the last loss, the seconds. The pages are there to be
looked at: DIRECTORY/runs/NAME/report.html.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd


def digits(out):
    from sklearn.datasets import load_digits
    d = load_digits()
    images = (d.images / 16).astype(np.float32)[..., None]
    np.savez_compressed(out / "digits.npz", images=images, values=d.target[:, None], names=["digit"])
    return "digits.npz", []


def sklearn_table(loader, name, separator=",", decimal="."):
    def make(out):
        import sklearn.datasets as sets
        d = getattr(sets, loader)(as_frame=True)
        frame = d.frame.rename(columns={"target": name})
        if hasattr(d, "target_names"):
            frame[name] = [d.target_names[k] for k in frame[name]]
        frame.to_csv(out / f"{loader[5:]}.csv", index=False, sep=separator, decimal=decimal)
        return f"{loader[5:]}.csv", [f'data.factors=["{name}"]']
    return make


def cancer(out):
    """No factors are named: an answer is wanted all the same."""
    from sklearn.datasets import load_breast_cancer
    load_breast_cancer(as_frame=True).frame.drop(columns="target").to_csv(out / "cancer.csv")
    return "cancer.csv", []


def macro(out):
    """Quarterly series with year and quarter, no labels."""
    from statsmodels.datasets import macrodata
    macrodata.load_pandas().data.to_csv(out / "macro.csv", index=False)
    return "macro.csv", []


def cars(out):
    """Words, names, dates and gaps."""
    from vega_datasets import local_data
    local_data.cars().to_csv(out / "cars.csv", index=False)
    return "cars.csv", ['data.factors=["Origin"]', "data.missing=impute"]


def weather(out):
    """A series with a date and a column of words."""
    from vega_datasets import local_data
    local_data.seattle_weather().to_csv(out / "weather.tsv", index=False, sep="\t")
    return "weather.tsv", ['data.factors=["weather"]']


def pictures(out):
    """What scikit-image ships: all sizes, grey, colour, some with transparency, cut into pieces."""
    import skimage
    from PIL import Image
    folder = out / "pictures"
    for file in sorted((Path(skimage.__file__).parent / "data").iterdir()):
        if file.suffix not in (".png", ".jpg"):
            continue
        picture = Image.open(file)
        side = min(picture.size) // 3
        for k in range(9):
            place = (k % 3 * side, k // 3 * side)
            piece = picture.crop((*place, place[0] + side + 13, place[1] + side))
            (folder / file.stem).mkdir(parents=True, exist_ok=True)
            piece.save(folder / file.stem / f"{k}{file.suffix}")
    return "pictures", ["data.size=32", "data.labels=folders"]


def faces(out):
    """Pictures without any label."""
    import skimage
    from PIL import Image
    folder = out / "faces"
    folder.mkdir(exist_ok=True)
    for k, face in enumerate(np.load(Path(skimage.__file__).parent / "data" / "lfw_subset.npy")):
        Image.fromarray((255 * face).astype(np.uint8)).save(folder / f"{k:03}.png")
    return "faces", ["data.size=32"]


def motions(out):
    """Six channels of a smart watch; which motion it is, and where one recording ends."""
    from sktime.datasets import load_basic_motions
    x, y = load_basic_motions(return_type="numpy3D")
    names = ["ax", "ay", "az", "gx", "gy", "gz"]
    frames = [pd.DataFrame(one.T, columns=names).assign(recording=k, motion=y[k]) for k, one in enumerate(x)]
    pd.concat(frames).to_csv(out / "motions.csv", index=False)
    return "motions.csv", ['data.factors=["motion"]', "data.episode=recording"]


SETS = {
    "digits": digits,
    "wine": sklearn_table("load_wine", "cultivar"),
    "iris": sklearn_table("load_iris", "species", ";", ","),
    "diabetes": sklearn_table("load_diabetes", "progression"),
    "cancer": cancer,
    "macro": macro,
    "cars": cars,
    "weather": weather,
    "pictures": pictures,
    "faces": faces,
    "motions": motions,
}


def run(program, *words):
    start = time.time()
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    return done, time.time() - start


def through(program, steps, name, out, path, settings):
    """All four commands; what they wrote is kept beside the run."""
    directory = out / "runs" / name
    of_data = [word for s in settings for word in ("--set", s.removeprefix("data."))]
    of_run = [word for s in settings for word in ("--set", s)]
    commands = {
        "info": ["data", "info", out / path, *of_data],
        "train": ["train", "--model", "beta-tc-vae", "--data", out / path, *of_run, "--steps", steps, "--out", directory],
        "score": ["score", directory],
        "report": ["report", directory],
    }
    said, log = [], ""
    for verb, words in commands.items():
        done, seconds = run(program, *words)
        log += f"$ {' '.join(map(str, words))}\n{done.stdout}{done.stderr}\n"
        said.append(f"{verb} {'ok' if done.returncode == 0 else 'FAILED'} {seconds:.0f} s")
    (out / f"{name}.log").write_text(log)
    rows = [json.loads(row) for row in (directory / "log.jsonl").read_text().splitlines()] if directory.exists() else []
    finite = all(np.isfinite(value) for row in rows for value in row.values())
    loss = f"{rows[0]['loss']:.4g} to {rows[-1]['loss']:.4g}" if rows else "-"
    return f"| {name} | {', '.join(said)} | {loss}{'' if finite else ' NOT FINITE'} |"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", type=Path)
    options.add_argument("program", nargs="?")
    options.add_argument("--steps", default=1000, type=int)
    options.add_argument("--only", default="")
    options = options.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for name, make in SETS.items():
        if options.only and name not in options.only.split(","):
            continue
        path, settings = make(options.directory)
        if options.program:
            print(through(options.program, options.steps, name, options.directory, path, settings), flush=True)


if __name__ == "__main__":
    sys.exit(main())
