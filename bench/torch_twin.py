"""The PyTorch twin of unbraid's networks: the same layers, loss and optimiser.

Run by compare.py; by hand:  python torch_twin.py step --net conv4 --shape 1x64x64
"""

import argparse
import json
import resource
import time

import torch
from torch import nn
from torch.nn import functional as F


class Autoencoder(nn.Module):
    """`conv`, `conv4` and `fc` as in crates/unbraid/src/parts/nets/autoencoder.rs."""

    def __init__(self, net, shape, width, latents=10):
        super().__init__()
        channels, height, rows = shape
        self.fc = net == "fc"
        if self.fc:
            width = width or 1200
            size = channels * height * rows
            self.grid = shape
            self.convolutions = nn.ModuleList()
            encoder, decoder = [size, width, width], [latents, width, width, width, size]
            self.deconvolutions = nn.ModuleList()
        else:
            width = width or 256
            self.grid = (64, height // 16, rows // 16)
            kernels = [4, 4, 4, 4] if net == "conv4" else [4, 4, 2, 2]
            down = [channels, 32, 32, 64, 64]
            self.convolutions = nn.ModuleList(
                nn.Conv2d(down[i], down[i + 1], k, 2, (k - 2) // 2) for i, k in enumerate(kernels)
            )
            flat = 64 * self.grid[1] * self.grid[2]
            encoder, decoder = [flat, width], [latents, width, flat]
            up = [64, 64, 32, 32, channels]
            self.deconvolutions = nn.ModuleList(
                nn.ConvTranspose2d(up[i], up[i + 1], 4, 2, 1) for i in range(4)
            )
        layers = lambda sizes: nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.encoder, self.decoder = layers(encoder), layers(decoder)
        self.mean, self.log_variance = nn.Linear(width, latents), nn.Linear(width, latents)

    def posterior(self, x):
        for layer in self.convolutions:
            x = F.relu(layer(x))
        h = x.flatten(1)
        for layer in self.encoder:
            h = F.relu(layer(h))
        return self.mean(h), self.log_variance(h)

    def decode(self, z):
        h = z
        for i, layer in enumerate(self.decoder):
            h = layer(h)
            if not self.fc:
                h = F.relu(h)
            elif i < 3:
                h = torch.tanh(h)
        h = h.view(-1, *self.grid)
        for i, layer in enumerate(self.deconvolutions):
            h = layer(h) if i == 3 else F.relu(layer(h))
        return h

    def loss(self, x, noise, beta=4.0):
        mean, log_variance = self.posterior(x)
        decoded = self.decode(mean + torch.exp(0.5 * log_variance) * noise)
        rows = x.shape[0]
        error = F.binary_cross_entropy_with_logits(decoded, x, reduction="sum") / rows
        kl = 0.5 * (mean.square() + log_variance.exp() - log_variance - 1).sum() / rows
        return error + beta * kl


class Ivae(nn.Module):
    """`ivae` as in crates/unbraid/src/models/ivae.rs: four networks of three layers, SiLU between them."""

    LABEL = 4  # numbers of a label in `unbraid bench step`

    def __init__(self, shape, width, noise=0.1):
        super().__init__()
        size, width = shape[0] * shape[1] * shape[2], width or 100
        net = lambda a, b: nn.Sequential(
            nn.Linear(a, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, b)
        )
        both = size + self.LABEL
        self.mean, self.log_variance = net(both, size), net(both, size)
        self.prior, self.decoder = net(self.LABEL, size), net(size, size)
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("whitening", torch.eye(size))
        self.register_buffer("label", torch.rand(64, self.LABEL))
        self.noise = noise

    def posterior(self, x):
        x = (x.flatten(1) - self.centre) @ self.whitening
        both = torch.cat([x, self.label[: len(x)]], 1)
        return self.mean(both), 12 * torch.tanh(self.log_variance(both) / 12)

    def loss(self, x, noise):
        mean, log_variance = self.posterior(x)
        prior = 12 * torch.tanh(self.prior(self.label) / 12)
        z = mean + torch.exp(0.5 * log_variance) * noise[:, : mean.shape[1]]
        rows = x.shape[0]
        white = (x.flatten(1) - self.centre) @ self.whitening
        error = 0.5 * (self.decoder(z) - white).square().sum() / (rows * self.noise**2)
        ratio = log_variance - prior
        kl = 0.5 * (mean.square() * torch.exp(-prior) + ratio.exp() - ratio - 1).sum() / rows
        return error + kl


def timed(run, repeats, model):
    """Call it so many times, after three that do not count, and print how long one took, in milliseconds."""
    times = []
    for number in range(3 + repeats):
        start = time.perf_counter()
        run()
        if number >= 3:
            times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print(json.dumps({
        "median": times[len(times) // 2],
        "best": times[0],
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "parameters": sum(p.numel() for p in model.parameters()),
        "torch": torch.__version__,
    }))


def common(parser, shape, batch):
    """The options of every twin, and the shape of an observation; threads and seed are set."""
    parser.add_argument("--shape", default=shape)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--fused", action="store_true", help="Adam's fused implementation")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    return options, tuple(int(n) for n in options.shape.split("x"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["step", "encode"])
    parser.add_argument("--model", default="beta-vae", choices=["beta-vae", "ivae"])
    parser.add_argument("--net", default="conv4")
    parser.add_argument("--width", type=int, default=0)
    parser.add_argument("--steps", type=int, default=20)
    options, shape = common(parser, "1x64x64", 64)
    ivae = options.model == "ivae"
    model = Ivae(shape, options.width) if ivae else Autoencoder(options.net, shape, options.width)
    x = torch.rand(options.batch, *shape)
    if options.channels_last:
        model = model.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=options.fused or None)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(x, torch.randn(options.batch, 10))
        loss.backward()
        optimizer.step()
        return loss.item()

    def encode():
        with torch.inference_mode():
            return model.posterior(x)[0].sum().item()

    run = step if options.what == "step" else encode
    timed(run, options.steps, model)


if __name__ == "__main__":
    main()
