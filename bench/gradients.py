"""Do unbraid and PyTorch compute the same loss and the same gradients?

    python3 bench/gradients.py

Exports one step of each network from unbraid, computes it with the twin of torch_twin.py in f64 and in
f32, and prints the relative errors (L2) of the loss, of the whole gradient and of its worst part. A part
that is nearly zero, a bias whose terms cancel, is far off in any f32: ours must not be worse than
three times PyTorch's.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from compare import ROOT, python  # noqa: E402

LIMIT = 1e-5


def compare(net, shape, file):
    """Runs inside the environment with PyTorch."""
    import torch
    from safetensors.torch import load_file

    from torch_twin import Autoencoder

    found = load_file(file)
    shape = tuple(int(n) for n in shape.split("x"))
    model = Autoencoder(net, shape, 0)
    names = {
        r"net\.encoder\.convolutions\.": "convolutions.",
        r"net\.encoder\.dense\.": "encoder.",
        r"net\.encoder\.": "",
        r"net\.decoder\.convolutions\.": "deconvolutions.",
        r"net\.decoder\.dense\.": "decoder.",
    }

    def twin(name):
        for ours, theirs in names.items():
            if re.match(ours, name):
                return re.sub("^" + ours, theirs, name)
        sys.exit(f"{name} has no twin")

    def turned(tensor):  # a dense weight is [input, output] here, the transpose there
        return tensor.T.contiguous() if tensor.dim() == 2 else tensor

    weights = {twin(k[len("weight."):]): turned(v) for k, v in found.items() if k.startswith("weight.")}
    model.load_state_dict(weights)
    rows = found["noise"].numel() // 10
    x, noise = found["x"].view(rows, *shape), found["noise"].view(rows, 10)
    # The reference is PyTorch in f64; PyTorch's own f32 stands beside ours.
    references = {}
    for precision in (torch.float32, torch.float64):
        model.zero_grad()
        model = model.to(precision)
        loss = model.loss(x.to(precision), noise.to(precision))
        loss.backward()
        gradients = {name: p.grad.double() for name, p in model.named_parameters()}
        references[precision] = (loss.item(), gradients)
    loss, exact = references[torch.float64]
    ours = {twin(k[len("gradient."):]): turned(v).double() for k, v in found.items() if k.startswith("gradient.")}
    assert ours.keys() == exact.keys(), "every parameter has a gradient"

    def worst(gradients):
        errors = {n: ((gradients[n] - g).norm() / g.norm()).item() for n, g in exact.items()}
        whole = sum((gradients[n] - g).square().sum() for n, g in exact.items()).sqrt()
        whole = (whole / sum(g.square().sum() for g in exact.values()).sqrt()).item()
        name = max(errors, key=errors.get)
        return errors[name], whole, name

    (error, whole, name), (theirs, their_whole, their_name) = worst(ours), worst(references[torch.float32][1])
    relative = abs(loss - found["loss"].item()) / abs(loss)
    print(f"{net:6} {'x'.join(map(str, shape)):8} loss {loss:.3f} off by {relative:.1e}; gradient off by {whole:.1e} "
          f"(PyTorch's f32 {their_whole:.1e}), worst of {len(exact)} {error:.1e} in {name} "
          f"(PyTorch's {theirs:.1e} in {their_name})", flush=True)
    return relative <= LIMIT and whole <= LIMIT and error <= max(LIMIT, 3 * theirs)


def main():
    cases = [("conv4", "1x64x64"), ("conv4", "3x64x64"), ("conv", "1x64x64"), ("fc", "1x64x64"), ("fc", "40x1x1")]
    with tempfile.TemporaryDirectory() as folder:
        for net, shape in cases:
            file = f"{folder}/{net}-{shape}.safetensors"
            command = ["cargo", "run", "--release", "--quiet", "-p", "unbraid", "--example", "export_gradients"]
            subprocess.run([*command, "--", net, shape, file], cwd=ROOT, check=True)
            subprocess.run([python(), __file__, "--compare", net, shape, file], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(0 if compare(*sys.argv[2:]) else "the gradients differ")
    main()
