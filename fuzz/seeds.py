"""Sound files to begin with, one or more for each target: python fuzz/seeds.py PROGRAM

They are small, so that many can be tried in a second. Needs numpy, pandas, pyarrow, scipy, h5py,
pillow, and the program, which trains a run of a few weights.
"""

import gzip
import io
import json
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import scipy.io
from PIL import Image

CORPUS = Path(__file__).parent / "corpus"
PROGRAM = Path(sys.argv[1]).resolve()


def put(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def written(write, **options):
    file = io.BytesIO()
    write(file, **options)
    return file.getvalue()


def arrays():
    codes = np.array([[0.5, 1], [-2, 3], [4, 0], [1, 1.5]], "f4")
    for kind in ["f4", "f8", ">f4", "i8", "u1", "?", "f2", "U3", "c8", "O"]:
        put("npy", f"{kind.strip('>?') or 'bool'}{'-big' * ('>' in kind)}", written(lambda f: np.save(f, codes.astype(kind))))
    put("npy", "fortran", written(lambda f: np.save(f, np.asfortranarray(codes))))
    put("npy", "version-2", written(lambda f: np.lib.format.write_array(f, codes, version=(2, 0))))
    values, names = np.array([[0, 1], [1, 0], [2, 1], [0, 0]], "f4"), np.array(["a", "b"])
    table = dict(codes=codes, values=values, names=names, sizes=np.array([3, 0]), format=np.array(1))
    put("npz", "codes", written(lambda f: np.savez(f, **table)))
    put("npz", "packed", written(lambda f: np.savez_compressed(f, **table)))
    images = np.arange(4 * 64, dtype="u1").reshape(4, 8, 8)
    put("npz", "images", written(lambda f: np.savez(f, imgs=images, latents_values=values)))
    frames = np.full((3, 2, 2, 4), 7, "u1")
    latents = np.array([[0.5, 1], [0.25, 1], [0.75, 1]], "f4")
    targets = np.array([[1, 0], [0, 0]], "f4")
    actions, keys = np.array([[1], [0], [0]], "f4"), np.array(["ball_x", "ball_y"])
    sequence = dict(images=frames, latents=latents, targets=targets, actions=actions, keys=keys)
    put("sequence", "frames", written(lambda f: np.savez(f, **sequence)))
    put("world", "graph", json.dumps({"temporal_causal_graph": [[1, 0], [1, 1]], "causal_var_names": ["x", "y"]}))


def tables():
    put("csv", "words", 'x,shape\n1.5,heart\n-2,"a, b"\n3,heart\n')
    put("csv", "semicolons", "zeit;druck\n2020-01-01 10:00;1,5\n2020-01-01 10:01;2,5\n2020-01-01 10:02;NA\n")
    put("csv", "tabs", "a\tb\tc\n1\t2\t\n3\t4\t5\n6\t7\t8\n")
    put("csv", "names", "\ufeff'a b',c,\n=1+1,1e39,nan\n-0,1e-50,inf\n")
    frame = pd.DataFrame({"x": [1.5, -2, None], "n": [1, 2, 3], "word": ["a", "b", "a"], "on": [True, False, True]})
    for compression in ["snappy", "zstd", "gzip", None]:
        write = lambda f: frame.to_parquet(f, compression=compression)
        put("parquet", compression or "plain", written(write))
    put("parquet", "lists", written(pd.DataFrame({"l": [[1], [2, 3]]}).to_parquet))
    put("parquet", "whole", written(frame.drop(columns=["x"]).to_parquet))


def published():
    numbers = lambda order, *sizes: struct.pack(f"{order}{len(sizes)}I", *sizes)
    images = numbers(">", 2051, 1, 28, 28) + bytes(784)
    put("idx", "images", images)
    put("idx", "packed", gzip.compress(images, mtime=0))
    put("norb", "bytes", numbers("<", 0x1E3D4C55, 4, 1, 2, 96, 96) + bytes(64))
    put("norb", "info", numbers("<", 0x1E3D4C54, 2, 1, 4, 1) + bytes(16))
    car = {"im": np.zeros((2, 2, 3, 2, 2), "u1")}
    put("mat", "plain", written(scipy.io.savemat, mdict=car))
    put("mat", "packed", written(scipy.io.savemat, mdict=car, do_compression=True))
    put("mat", "version-4", written(scipy.io.savemat, mdict={"im": np.zeros((2, 2))}, format="4"))
    put("amat", "rows", ("0 1 " * 392).strip() + "\n" + ("1 0 " * 392).strip() + "\n")
    for latest in ["earliest", "latest"]:
        with h5py.File(file := io.BytesIO(), "w", libver=latest) as h5:
            h5.create_dataset("imgs", data=np.zeros((2, 64, 64), "u1"), chunks=(1, 64, 64), compression="gzip", shuffle=True)
            h5.create_dataset("latents/values", data=np.zeros((2, 6)))
        put("hdf5", latest, file.getvalue())
    letter = picture("PNG", (105, 105), "1")
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for drawer in ["01", "02"]:
            archive.writestr(f"images_background/Greek/character01/0394_{drawer}.png", letter)
    put("zip", "letters", file.getvalue())
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w") as archive:
        for name, content in [("data/cars/car_001_mesh.mat", b"MATLAB 5.0"), ("data/cars/list.txt", b"car_001_mesh\n")]:
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    put("tar", "cars", gzip.compress(file.getvalue(), mtime=0))


def picture(kind, size, mode, **options):
    pixels = np.random.default_rng(0).integers(0, 255, (*size, 3)).astype("u1")
    return written(lambda f: Image.fromarray(pixels).convert(mode).save(f, kind, **options))


def pictures():
    for mode in ["1", "L", "LA", "RGB", "RGBA", "P"]:
        put("png", mode, picture("PNG", (5, 7), mode))
    for mode in ["L", "RGB", "CMYK"]:
        put("jpeg", mode, picture("JPEG", (9, 7), mode))
    put("jpeg", "progressive", picture("JPEG", (9, 7), "RGB", progressive=True))
    put("gif", "one", picture("GIF", (5, 7), "P"))
    put("webp", "lossy", picture("WEBP", (5, 7), "RGB"))
    put("webp", "lossless", picture("WEBP", (5, 7), "RGBA", lossless=True))


def unsealed(content):
    """Without the word that says there is a checksum, so that what is read behind it is reached."""
    return content.replace(b"checksum", b"no-seal.")


def runs():
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        settings = "model.net=fc model.latents=2 model.width=4 train.batch=4 train.log_every=1".split()
        words = [word for setting in settings for word in ["--set", setting]]
        train = ["train", "--quiet", "--model", "vae", "--data", "squares", "--steps", "3", "--out", run]
        subprocess.run([PROGRAM, *train, *words], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "score", "--quiet", run, "--metrics", "mig,mcc"], check=True, stdout=subprocess.DEVNULL)
        weights = (run / "resume/checkpoint.safetensors").read_bytes()
        put("safetensors", "checkpoint", unsealed(weights))
        header = json.loads(weights[8 : 8 + struct.unpack("<Q", weights[:8])[0]])
        start, end = header["optimizer"]["data_offsets"]
        put("optimizer", "adam", weights[8 + struct.unpack("<Q", weights[:8])[0] :][start:end])
        put("settings", "run", unsealed((run / "run.toml").read_bytes()))
        put("log", "three", (run / "log.jsonl").read_bytes())
        put("document", "scores", unsealed((run / "scores.json").read_bytes()))
    for study in (Path(__file__).parents[1] / "studies").glob("*.toml"):
        if study.stat().st_size < 4000:
            put("study", study.stem, study.read_bytes())


for make in [arrays, tables, published, pictures, runs]:
    make()
