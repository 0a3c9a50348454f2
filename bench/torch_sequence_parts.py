"""What the PyTorch twins of unbraid's models of sequences are made of: parts/nets and parts/time in PyTorch.

Modules and parameters have the names of the fields in crates/unbraid/src/parts, settings are the defaults there.
Initial weights are drawn more simply, which takes no time of a step.
"""

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

LABEL = 4  # numbers of targets and of an action in `unbraid bench step`
CODES = 16  # codes of a base there
LOG_TAU = math.log(2 * math.pi)


class Gaussian(NamedTuple):
    mean: torch.Tensor
    log_variance: torch.Tensor

    def sample(self):
        return self.mean + torch.exp(0.5 * self.log_variance) * torch.randn_like(self.mean)

    def log_density(self, z):
        apart = (z - self.mean).square() * torch.exp(-self.log_variance)
        return -0.5 * (apart + self.log_variance + LOG_TAU)

    def kl(self):
        terms = self.mean.square() + self.log_variance.exp() - self.log_variance - 1
        return 0.5 * terms.sum() / len(self.mean)


# parts/nets: simple.rs, pixels.rs


class Encoder(nn.Module):
    def __init__(self, shape, channels, width, outputs, learned):
        super().__init__()
        self.convolutions = nn.ModuleList()
        inputs, stages = shape[0] + 2, halvings(shape)
        for k in range(stages):
            wide = channels if k == 0 else 2 * channels
            for stride in (2, 1) if k + 1 < stages else (2,):
                self.convolutions.append(nn.Conv2d(inputs, wide, 3, stride, 1))
                inputs = wide
        flat = inputs * (shape[1] >> stages) * (shape[2] >> stages)
        self.dense = nn.ModuleList([nn.Linear(flat, width)])
        self.out = nn.Linear(width, outputs)
        self.reach = nn.Parameter(torch.zeros(outputs // 2)) if learned else None

    def features(self, x):
        for layer in self.convolutions:
            x = F.silu(layer(x))
        h = x.flatten(1)
        for layer in self.dense:
            h = F.silu(layer(h))
        return self.out(h)

    def posterior(self, x):
        mean, raw = self.features(x).chunk(2, 1)
        reach = 4.0 if self.reach is None else F.softplus(self.reach)
        return Gaussian(mean, 2 * (torch.tanh(raw / reach) * reach))


class Up(nn.Module):
    def __init__(self, shape, channels, width, latents):
        super().__init__()
        stages = halvings(shape)
        self.grid = (2 * channels, shape[1] >> stages, shape[2] >> stages)
        sizes = [latents, width, math.prod(self.grid)]
        self.dense = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.convolutions = nn.ModuleList()
        inputs = 2 * channels
        for k in reversed(range(stages)):
            wide = shape[0] if k == 0 else channels if k == 1 else 2 * channels
            self.convolutions.append(nn.ConvTranspose2d(inputs, wide, 3, 2, 1, output_padding=1))
            if k > 0:
                self.convolutions.append(nn.Conv2d(wide, wide, 3, 1, 1))
            inputs = wide

    def forward(self, h):
        for layer in self.dense:
            h = F.silu(layer(h))
        h = h.view(-1, *self.grid)
        for layer in self.convolutions[:-1]:
            h = F.silu(layer(h))
        return self.convolutions[-1](h)


class Pixels(nn.Module):
    def __init__(self, shape):
        super().__init__()
        for name, value in dict(mean=0.5, deviation=1.0, weight=1.0, gain=2.0, centre=0.0).items():
            self.register_buffer(name, torch.full((1, *shape), value))
        lines = [torch.linspace(-1, 1, side) for side in shape[1:]]
        self.register_buffer("places", torch.stack(torch.meshgrid(*lines, indexing="ij"))[None])

    def placed(self, x):
        places = self.places.expand(len(x), -1, -1, -1)
        return torch.cat([(x - self.mean) / self.deviation, places], 1)

    def error(self, decoded, x, noise):
        shown = torch.sigmoid(torch.addcmul(self.centre, decoded, self.gain))
        error = ((shown - x).square() * self.weight).sum() * (0.5 / (noise**2 * len(x)))
        constant = (math.log(noise) + 0.5 * LOG_TAU) * x[0].numel()
        return error + constant - 0.5 * self.weight.log().sum()


class Simple(nn.Module):
    def __init__(self, shape, latents=16, point=False, learned=False, channels=16, width=256):
        super().__init__()
        outputs = latents if point else 2 * latents
        self.encoder = Encoder(shape, channels, width, outputs, learned)
        self.decoder = Up(shape, channels, width, latents)
        self.pixels = Pixels(shape)
        self.noise = math.sqrt(0.125)

    def posterior(self, x):
        return self.encoder.posterior(self.pixels.placed(x))

    def code(self, x):
        return self.encoder.features(self.pixels.placed(x))

    def error(self, z, x):
        return self.pixels.error(self.decoder(z), x, self.noise)


def halvings(shape):
    return int(math.log2(max(min(shape[1:]) // 4, 2)))


# parts/time: per_latent.rs, masked.rs, flow.rs


class PerLatent(nn.Module):
    def __init__(self, latents, inputs, outputs, zero=False):
        super().__init__()
        limit = 0.0 if zero else math.sqrt(6 / (inputs * outputs))
        self.weight = nn.Parameter(torch.empty(latents, inputs, outputs).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.zeros(latents, 1, outputs))

    def forward(self, x):
        return torch.baddbmm(self.bias, x, self.weight)


def by_latent(rows, latents):
    """[batch, latents * width] to [latents, batch, width]"""
    return rows.view(len(rows), latents, -1).transpose(0, 1)


def gaussian_by_row(numbers):
    """Mean and log deviation, [latents, batch, 2], to a Gaussian of [batch, latents]."""
    mean, log_deviation = numbers.transpose(0, 1).unbind(2)
    return Gaussian(mean, 2 * log_deviation)


class Masked(nn.Module):
    def __init__(self, variables, inputs, outputs, own, limit=math.sqrt(6)):
        super().__init__()
        seer = torch.arange(variables * outputs) // outputs
        seen = torch.arange(variables * inputs) // inputs
        mask = (seen < seer[:, None] + own).float()
        self.register_buffer("mask", mask)
        limit = limit / mask.sum(1, keepdim=True).clamp_min(1).sqrt()
        self.weight = nn.Parameter((2 * torch.rand_like(mask) - 1) * mask * limit)
        self.bias = nn.Parameter(torch.zeros(variables * outputs))

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class ActNorm(nn.Module):
    def __init__(self, variables):
        super().__init__()
        self.shift, self.scale = (nn.Parameter(torch.zeros(variables)) for _ in range(2))

    def forward(self, x):
        excess = self.scale - self.scale.clamp(-3, 3)
        scale = self.scale - excess.detach()
        return (x + self.shift) * scale.exp(), scale.sum()


class Mix(nn.Module):
    def __init__(self, variables):
        super().__init__()
        orthogonal = torch.linalg.qr(torch.randn(variables, variables))[0]
        permutation, lower, upper = torch.linalg.lu(orthogonal)
        self.lower, self.upper = nn.Parameter(lower), nn.Parameter(upper)
        self.size = nn.Parameter(upper.diag().abs().log())
        self.register_buffer("sign", upper.diag().sign())
        self.register_buffer("permutation", permutation)
        self.register_buffer("one", torch.eye(variables))
        self.register_buffer("below", torch.ones(variables, variables).tril(-1))
        self.register_buffer("above", torch.ones(variables, variables).triu(1))

    def forward(self, x):
        lower = self.lower * self.below + self.one
        upper = self.upper * self.above + self.sign * self.size.exp() * self.one
        return x @ (self.permutation @ lower @ upper), self.size.sum()


class Affine(nn.Module):
    def __init__(self, variables, hidden=16):
        super().__init__()
        self.first = Masked(variables, 1, hidden, False)
        self.second = Masked(variables, hidden, hidden, True)
        self.out = Masked(variables, hidden, 2, True, 0.2 * math.sqrt(3))
        self.reach = nn.Parameter(torch.zeros(variables))

    def forward(self, x):
        h = F.silu(self.second(F.silu(self.first(x))))
        shift, raw = self.out(h).view(*x.shape, 2).unbind(2)
        reach = torch.tanh(self.reach.exp() / 3) * 3
        scale = torch.tanh(raw / reach.clamp_min(1)) * reach
        return (x + shift) * scale.exp(), scale.sum(1, keepdim=True)


class Layer(nn.Module):
    def __init__(self, variables, mixes):
        super().__init__()
        self.norm, self.bend = ActNorm(variables), Affine(variables)
        self.mix = Mix(variables) if mixes else None

    def forward(self, x):
        y, log_det = self.norm(x)
        if self.mix is not None:
            y, more = self.mix(y)
            log_det = log_det + more
        y, more = self.bend(y)
        return y, more + log_det


class Flow(nn.Module):
    def __init__(self, variables, layers):
        super().__init__()
        self.layers = nn.ModuleList(Layer(variables, k > 0) for k in range(layers))

    def forward(self, x):
        log_det = 0
        for layer in self.layers:
            x, more = layer(x)
            log_det = log_det + more
        return x, log_det


# parts/time: sequence_vae.rs, sequence_flow.rs


class SequenceVae(nn.Module):
    def __init__(self, shape, latents, flow_layers=4, learned=False):
        super().__init__()
        self.net = Simple(shape, latents, learned=learned)
        self.flow = Flow(latents, flow_layers)

    def evidence(self, batch, samples=None):
        """Latents before and after, entropy and reconstruction; one sample of both frames, or several
        of the second with the mean of the first."""
        from_, to = batch["frames"]
        rows = len(to)
        q = self.net.posterior(torch.cat([from_, to]))
        first, second = (Gaussian(*part) for part in zip(*(t.split(rows) for t in q)))
        decoded = second.sample()
        if samples is None:
            before, after = first.sample(), decoded
        else:
            second = Gaussian(*(t.repeat(samples, 1) for t in second))
            before, after = first.mean, second.sample()
        log_q = second.log_density(after).sum(1, keepdim=True)
        flowed, log_det = self.flow(torch.cat([before, after]))
        before, after = flowed[:rows], flowed[rows:]
        if samples is not None:
            before = before.repeat(samples, 1)
        return before, after, log_q - log_det[rows:], self.net.error(decoded, to)


class SequenceFlow(nn.Module):
    def __init__(self, flow_layers, variables=CODES, samples=2, code_noise=0.05):
        super().__init__()
        self.flow = Flow(variables, flow_layers)
        self.samples, self.code_noise = samples, code_noise

    def evidence(self, batch):
        """Latents before and after of all pairs of copies, and -log |det| of those after."""
        copies = self.samples
        both = torch.cat([frame.flatten(1).repeat(copies, 1) for frame in batch["frames"]])
        flowed, log_det = self.flow(both + self.code_noise * torch.randn_like(both))
        half, size = len(both) // 2, both.shape[1]
        before = flowed[:half].view(copies, 1, -1, size).expand(-1, copies, -1, -1)
        after = flowed[half:].repeat(copies, 1)
        return before.reshape(copies * half, size), after, -log_det[half:].repeat(copies, 1)


# parts/time: assignment.rs, transition.rs, classifier.rs, targets.rs, causal_prior.rs


class Assignment(nn.Module):
    def __init__(self, latents, targets):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(latents, targets + 1))

    def sample(self, rows):
        return F.gumbel_softmax(self.logits.expand(rows, -1, -1), hard=True)


class Transition(nn.Module):
    def __init__(self, latents, targets, width, rest):
        super().__init__()
        self.context = nn.Linear(latents, latents * width)
        self.hidden = PerLatent(latents, width, width)
        self.out = PerLatent(latents, width, 2)
        self.intervened = nn.Parameter(torch.rand(latents, targets, 2) - 0.5)
        self.rest = rest

    def followed(self, before):
        h = by_latent(self.context(before), before.shape[1])
        return gaussian_by_row(self.out(F.silu(self.hidden(F.silu(h)))))

    def cost(self, before, after, targets, probabilities):
        """-log p of each row and latent under perfect interventions, and what is added beside it."""
        k = targets.shape[1]
        chosen, rest = probabilities.split([k, 1], 1)
        usual = 1 - targets @ chosen.T - self.rest * rest.T
        observed = -self.followed(before).log_density(after)
        hit = targets.unsqueeze(1)
        blended = (intervened_nll(after, self.intervened.detach()) * hit * chosen).sum(2)
        taught = (intervened_nll(after.detach(), self.intervened) * hit).sum() / len(after)
        beside = self.rest * (1 - rest).mean() + taught - taught.detach()
        return observed * usual + blended, beside


def intervened_nll(after, intervened):
    mean, log_deviation = intervened.unbind(2)
    apart = (after.unsqueeze(2) - mean) * torch.exp(-log_deviation)
    return 0.5 * apart.square() + log_deviation + 0.5 * LOG_TAU


class Rates(nn.Module):
    def __init__(self, targets):
        super().__init__()
        self.register_buffer("alone", torch.full((1, 1, targets), 0.5))
        self.register_buffer("none", torch.full((targets, targets), 0.5))
        self.register_buffer("some", torch.full((targets, targets), 0.5))

    def beside(self, targets):
        return self.none + targets.unsqueeze(2) * (self.some - self.none)


class Classifier(nn.Module):
    def __init__(self, latents, targets, width):
        super().__init__()
        self.hidden, self.out = nn.Linear(3 * latents, width), nn.Linear(width, targets)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        own = torch.eye(targets)
        weights = [own * (targets - 1) + 1, torch.ones(1, targets), torch.full((1, targets), targets)]
        self.register_buffer("own", own)
        self.register_buffer("weights", torch.cat(weights))
        self.register_buffer("all", torch.ones(1, 1, latents))

    def frozen(self, x):
        for layer, last in (self.hidden, False), (self.out, True):
            x = F.linear(x, layer.weight.detach(), layer.bias.detach())
            x = x if last else F.silu(x)
        return x

    def losses(self, before, after, psi, targets, rates):
        """That of the classifier, and that of latents and assignment."""
        rows, k = targets.shape
        sets = k + 2
        masks = torch.cat([psi.transpose(1, 2), self.all.expand(rows, -1, -1)], 1)
        each = before.unsqueeze(1).expand(-1, sets, -1)
        inputs = torch.cat([each, after.unsqueeze(1) * masks, masks], 2)
        truth = targets.unsqueeze(1)
        others = rates.beside(targets) * (1 - self.own) + truth * self.own
        wanted = torch.cat([others, rates.alone.expand(rows, -1, -1), truth], 1)
        learned = self.out(F.silu(self.hidden(inputs.detach())))
        model = F.binary_cross_entropy_with_logits(learned, truth.expand(-1, sets, -1))
        latents = F.binary_cross_entropy_with_logits(self.frozen(inputs), wanted, self.weights)
        return model * sets, latents * sets


class CausalPrior(nn.Module):
    def __init__(self, latents, targets, width, rest=0.01, annealing=0.3):
        super().__init__()
        self.psi = Assignment(latents, targets)
        self.transition = Transition(latents, targets, width, rest)
        self.classifier = Classifier(latents, targets, 2 * width)
        self.rates = Rates(targets)
        self.annealing = annealing

    def cost(self, before, after, targets, done):
        """-log p of each row, what is added to it, and both losses of the classifier."""
        once, rows = len(targets), len(after)
        drawn = self.psi.sample(once)
        probabilities = F.softmax(self.psi.logits, 1)
        again = targets.repeat(rows // once, 1) if rows > once else targets
        nll, beside = self.transition.cost(before, after, again, probabilities)
        entropy = -(probabilities * torch.log(probabilities + 1e-9)).sum()
        beside = beside - entropy * (self.annealing * max(0, 1 - 2 * done))
        losses = self.classifier.losses(before[:once], after[:once], drawn, targets, self.rates)
        return nll.sum(1, keepdim=True), beside, *losses


# parts/time: interaction.rs


class Interactions(nn.Module):
    def __init__(self, latents, action, width):
        super().__init__()
        self.first = nn.Linear(action, latents * width)
        self.second, self.out = PerLatent(latents, width, width), PerLatent(latents, width, 1)
        self.latents = latents

    def logits(self, actions):
        h = by_latent(F.silu(self.first(actions)), self.latents)
        return self.out(F.silu(self.second(h))).squeeze(2).T


class Interacting(nn.Module):
    def __init__(self, latents, width):
        super().__init__()
        self.context = nn.Linear(latents, latents * width)
        self.context_out = PerLatent(latents, width, width)
        self.own = PerLatent(latents, 1, width)
        self.touched = PerLatent(latents, 1, width, zero=True)
        self.hidden, self.out = PerLatent(latents, width, width), PerLatent(latents, width, 2)

    def next(self, before, interactions):
        latents = before.shape[1]
        context = by_latent(torch.tanh(self.context(before)), latents)
        own, touched = by_latent(before, latents), by_latent(interactions, latents)
        h = self.context_out(context) + self.own(own) + self.touched(touched)
        return gaussian_by_row(self.out(F.silu(self.hidden(F.silu(h)))))


class InteractionPrior(nn.Module):
    def __init__(self, latents, action, width, factor):
        super().__init__()
        self.transition = Interacting(latents, width)
        self.interactions = Interactions(latents, action, width)
        self.factor = factor

    def cost(self, before, after, actions, done):
        """-log p of each row, and a gradient without a value."""
        logits = self.interactions.logits(actions)
        touched = torch.tanh(logits * (1 + 1.9 * done))
        touched = touched.repeat(len(after) // len(actions), 1)
        nll = -self.transition.next(before, touched).log_density(after).sum(1, keepdim=True)
        still = logits.detach()
        pushed = (logits - still + still.sign() + 1).square().sum() / len(logits)
        cost = (pushed + 0.01 * logits.square().mean()) * self.factor
        return nll, cost - cost.detach()
