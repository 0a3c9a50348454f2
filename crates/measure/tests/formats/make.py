"""Make the files of this folder that are not from tensorflow/datasets (see README.md)."""

import numpy as np, h5py, pathlib, scipy.io
from PIL import Image

here = pathlib.Path(__file__).parent

# dSprites in its chunks: image r has its first r + 1 pixels set. Chunks do not divide the rows.
rows = 50
imgs = np.zeros((rows, 64 * 64), np.uint8)
for r in range(rows):
    imgs[r, : r + 1] = 1
grid = np.stack(np.meshgrid([1], [1, 2, 3, 4, 5], [0, 1], [0.5], [0.0, 0.25, 0.5, 0.75, 1.0], [7], indexing="ij"), -1)
for name, libver in [("chunked", "earliest"), ("chunked_latest", "latest")]:
    with h5py.File(here / f"dsprites/{name}.hdf5", "w", libver=libver) as f:
        f.create_dataset("imgs", data=imgs.reshape(-1, 64, 64), chunks=(20, 8, 16), compression="gzip")
        f.create_dataset("latents/values", data=grid.reshape(-1, 6).astype(float), compression="gzip")
        f.create_dataset("latents/classes", data=np.zeros((rows, 6), np.int64))

# 3D Shapes: image r has r in red, 2r in green, 3r in blue.
rows = 24
images = np.broadcast_to((np.arange(rows)[:, None] * [1, 2, 3])[:, None, None], (rows, 64, 64, 3)).astype(np.uint8)
hues, scales, shapes = np.arange(2) / 10, [0.75, 1.25], [0, 1, 3]
labels = np.stack(np.meshgrid(hues, [0.3], hues, scales, shapes, [-30.0], indexing="ij"), -1).reshape(-1, 6)
with h5py.File(here / "shapes3d/chunked.h5", "w") as f:
    f.create_dataset("images", data=images, chunks=(10, 16, 32, 1), compression="gzip")
    f.create_dataset("labels", data=labels)

# Cars: pixel (y, x) of car k from azimuth a and elevation e.
for k, name in enumerate(["car_001_mesh", "car_002_mesh", "car_010_mesh"]):
    y, x, c, a, e = np.meshgrid(*map(np.arange, (128, 128, 3, 24, 4)), indexing="ij", sparse=True)
    im = ((y >= 64) * 40 + (x >= 32) * 20 + c * 5 + a * 2 + e + 30 * k + 0 * x).astype(np.uint8)
    mask = np.ones((128, 128, 24, 4), np.uint8)
    (here / "cars").mkdir(exist_ok=True)
    scipy.io.savemat(here / f"cars/{name}.mat", {"im": im, "mask": mask}, do_compression=True)
    if k == 0:
        view = Image.fromarray(im[:, :, :, 5, 2]).resize((64, 64), Image.LANCZOS)
        np.save(here / "cars/pillow.npy", np.asarray(view))
scipy.io.savemat(here / "cars/version4.mat", {"im": np.zeros((2, 2))}, format="4")

# SmallNORB: what Pillow makes of the first image.
raw = (here / "smallnorb/smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat").read_bytes()[24:]
first = np.frombuffer(raw, np.uint8).reshape(5, 2, 96, 96)[0, 0]
np.save(here / "smallnorb/pillow.npy", np.asarray(Image.fromarray(first).resize((64, 64), Image.LANCZOS)))
