"""The PyTorch twins of unbraid's models of sequences: the same layers, loss and optimiser.

Run by sequences.py; by hand:  python torch_sequences.py --model citris-vae --shape 4x32x32 --batch 128

Modules and parameters have the names of the fields in crates/unbraid/src/models, settings are the defaults there.
"""

import argparse
import itertools
import math

import torch
from torch import nn

from torch_sequence_parts import (
    CODES, LABEL, LOG_TAU, CausalPrior, Gaussian, InteractionPrior, SequenceFlow, SequenceVae, Simple,
)
from torch_twin import common, timed


class Autoencoder(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.net = Simple(shape, point=True)
        self.shrinkage = 1e-6 * math.prod(shape)

    def loss(self, batch, done):
        x = batch["frames"][0]
        z = self.net.code(x)
        noisy = z + 0.05 * torch.randn_like(z)
        return self.net.error(noisy, x) + z.square().mean() * self.shrinkage


class SlowVae(nn.Module):
    def __init__(self, shape, rate=1.0):
        super().__init__()
        self.net = Simple(shape)
        self.rate = rate

    def loss(self, batch, done):
        x = torch.cat(batch["frames"])
        q = self.net.posterior(x)
        first, second = (Gaussian(*part) for part in zip(*(t.chunk(2) for t in q)))
        cross = from_mean(first, second.mean) + from_mean(second, first.mean)
        cross = cross * self.rate - 2 * math.log(self.rate / 2)
        entropy = 0.25 * (first.log_variance + second.log_variance + 2 * (LOG_TAU + 1))
        slow = (cross - entropy).sum() / len(first.mean)
        return 2 * self.net.error(q.sample(), x) + 2 * q.kl() + slow


def from_mean(q, at):
    deviation = torch.exp(0.5 * q.log_variance)
    away = q.mean - at
    apart = away / deviation
    bell = torch.exp(-0.5 * apart.square()) * math.sqrt(2 / math.pi)
    return deviation * bell + away * torch.erf(apart / math.sqrt(2))


class TransitionIvae(nn.Module):
    def __init__(self, shape, latents=16, width=256):
        super().__init__()
        self.net = SequenceVae(shape, latents)
        self.prior = nn.Sequential(
            nn.Linear(latents + LABEL, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 2 * latents),
        )

    def loss(self, batch, done):
        before, after, entropy, reconstruction = self.net.evidence(batch)
        mean, log_deviation = self.prior(torch.cat([before, batch["actions"]], 1)).chunk(2, 1)
        nll = -Gaussian(mean, 2 * log_deviation).log_density(after).sum(1, keepdim=True)
        return reconstruction + (entropy + nll).mean()


class CitrisVae(nn.Module):
    def __init__(self, shape, latents=16):
        super().__init__()
        self.net = SequenceVae(shape, latents)
        self.prior = CausalPrior(latents, LABEL, 32)

    def loss(self, batch, done):
        before, after, entropy, reconstruction = self.net.evidence(batch)
        nll, beside, model, latents = self.prior.cost(before, after, batch["targets"], done)
        return reconstruction + (entropy + nll).mean() + beside + 2 * (model + latents)


class CitrisNf(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.flow = SequenceFlow(4)
        self.prior = CausalPrior(CODES, LABEL, 64)

    def loss(self, batch, done):
        before, after, volume = self.flow.evidence(batch)
        nll, beside, model, latents = self.prior.cost(before, after, batch["targets"], done)
        return (nll + volume).mean() + beside + model + 2 * latents


class BiscuitVae(nn.Module):
    def __init__(self, shape, latents=12):
        super().__init__()
        self.net = SequenceVae(shape, latents, learned=True)
        self.prior = InteractionPrior(latents, LABEL, 32, 5e-4)

    def loss(self, batch, done):
        before, after, entropy, reconstruction = self.net.evidence(batch, samples=4)
        nll, regulariser = self.prior.cost(before, after, batch["actions"], done)
        return reconstruction + (entropy + nll).mean() + regulariser


class BiscuitNf(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.flow = SequenceFlow(6)
        self.prior = InteractionPrior(CODES, LABEL, 64, 4e-3)

    def loss(self, batch, done):
        before, after, volume = self.flow.evidence(batch)
        nll, regulariser = self.prior.cost(before, after, batch["actions"], done)
        return (nll + volume).mean() + regulariser


MODELS = {
    "autoencoder": Autoencoder,
    "slow-vae": SlowVae,
    "transition-ivae": TransitionIvae,
    "citris-vae": CitrisVae,
    "citris-nf": CitrisNf,
    "biscuit-vae": BiscuitVae,
    "biscuit-nf": BiscuitNf,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, choices=MODELS)
    parser.add_argument("--repeats", type=int, default=30)
    options, shape = common(parser, "4x32x32", 128)
    model = MODELS[options.model](shape)
    seen = (CODES, 1, 1) if options.model.endswith("-nf") else shape
    frames = [torch.rand(options.batch, *seen) for _ in range(2)]
    if options.channels_last:
        model = model.to(memory_format=torch.channels_last)
        frames = [frame.contiguous(memory_format=torch.channels_last) for frame in frames]
    batch = {
        "frames": frames,
        "targets": torch.rand(options.batch, LABEL).round(),
        "actions": torch.rand(options.batch, LABEL),
    }
    named = list(model.named_parameters())
    classifier = [p for name, p in named if name.startswith("prior.classifier")]
    groups = [{"params": [p for name, p in named if not name.startswith("prior.classifier")]}]
    if classifier:
        groups.append({"params": classifier, "lr": 4e-3})
    optimizer = torch.optim.Adam(groups, lr=1e-4, fused=options.fused or None)
    parameters = [p for _, p in named]

    numbers = itertools.count()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(batch, next(numbers) / (3 + options.repeats))
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        return loss.item()

    timed(step, options.repeats, model)


if __name__ == "__main__":
    main()
