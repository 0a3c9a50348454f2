"""The PyTorch twins of mcq-vae and ct-vae: the same layers, loss and optimiser.

Run by sequences.py; by hand:  python torch_actions.py --model ct-vae --shape 3x64x64 --batch 64

MCQ-VAE has 2 books of 128 codes as moving averages, CT-VAE works on the 8x8 grid of its codes; sizes are the defaults
of crates/unbraid/src/models. The first layer of a discoverer is the sum of one of each node here too: whoever makes
the pairs themselves is slower still.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

from torch_twin import common, timed

BOOKS, CODES, FEATURES = 2, 128, 32
ACTIONS, CONTRASTS = 4, 3
WIDTH, HIDDEN, LAYERS, HEADS = 64, 32, 2, 4
SLOPE = 0.2


class Residual(nn.Module):
    def __init__(self, channels, kernel):
        super().__init__()
        self.first = nn.Conv2d(channels, channels // 2, kernel, padding=kernel // 2)
        self.second = nn.Conv2d(channels // 2, channels, 1)

    def forward(self, x):
        return x + self.second(F.relu(self.first(F.relu(x))))


class McqVae(nn.Module):
    """A local encoder: kernels of 2x2 where it halves, of 1x1 elsewhere."""

    def __init__(self, shape, channels=32, blocks=2):
        super().__init__()
        wide = 2 * channels
        down = [nn.Conv2d(shape[0], channels, 2, 2), nn.ReLU(), nn.Conv2d(channels, wide, 2, 2), nn.ReLU()]
        down += [nn.Conv2d(wide, wide, 2, 2), nn.ReLU(), nn.Conv2d(wide, wide, 1)]
        down += [Residual(wide, 1) for _ in range(blocks)]
        self.encoder = nn.Sequential(*down, nn.ReLU(), nn.Conv2d(wide, FEATURES, 1))
        up = [nn.Conv2d(FEATURES, wide, 3, padding=1)] + [Residual(wide, 3) for _ in range(blocks)]
        up += [nn.ReLU(), nn.ConvTranspose2d(wide, wide, 4, 2, 1), nn.ReLU()]
        up += [nn.ConvTranspose2d(wide, channels, 4, 2, 1), nn.ReLU()]
        self.decoder = nn.Sequential(*up, nn.ConvTranspose2d(channels, shape[0], 4, 2, 1))
        self.register_buffer("sums", torch.randn(BOOKS, CODES, FEATURES // BOOKS))
        self.register_buffer("counts", torch.ones(BOOKS, CODES))

    def quantise(self, e):
        """Rows of features to the nearest codes of each slice, which follow them."""
        out, cost = [], 0.0
        codes = self.sums / self.counts[:, :, None]
        for book, part in enumerate(e.chunk(BOOKS, 1)):
            near = torch.cdist(part.detach(), codes[book]).argmin(1)
            ones = F.one_hot(near, CODES).to(e.dtype)
            q = ones @ codes[book]
            cost = cost + 0.25 * F.mse_loss(part, q)
            out.append(part + (q - part).detach())
            with torch.no_grad():
                self.counts[book].lerp_(ones.sum(0), 0.01)
                self.sums[book].lerp_(ones.T @ part, 0.01)
        return torch.cat(out, 1), cost

    def loss(self, x):
        e = self.encoder(x)
        count, width, rows, columns = e.shape
        q, cost = self.quantise(e.permute(0, 2, 3, 1).reshape(-1, width))
        q = q.reshape(count, rows, columns, width).permute(0, 3, 1, 2)
        return F.mse_loss(self.decoder(q), x) + cost


class Messages(nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.query, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.key, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.places = nn.Parameter(torch.zeros(HEADS, cells, cells))
        self.wide, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, h, more, edges):
        rows, cells, _ = h.shape
        parents = torch.cat([h, *more], 1)
        heads = lambda t: t.reshape(rows, -1, HEADS, WIDTH // HEADS).transpose(1, 2)
        query, key, value = heads(self.query(h)), heads(self.key(parents)), heads(self.value(parents))
        places = F.pad(self.places, (0, parents.shape[1] - cells))
        logits = query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + places
        weights = edges[:, None] * torch.exp(logits - logits.amax(3, keepdim=True))
        weights = weights / weights.sum(3, keepdim=True).clamp_min(1e-20)
        h = h + self.out((weights @ value).transpose(1, 2).reshape(rows, cells, WIDTH))
        return h + self.narrow(F.leaky_relu(self.wide(h), SLOPE))


class CtVae(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.cells = cells = 64
        self.codes_in = nn.Parameter(torch.randn(BOOKS * CODES, WIDTH))
        self.places = nn.Parameter(torch.randn(cells, WIDTH))
        self.around = Messages(cells)
        self.mask_nodes, self.mask_last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.mask_actions = nn.Parameter(torch.randn(ACTIONS, WIDTH) * 0.1)
        kinds = ACTIONS + 1
        self.child = nn.Parameter(torch.randn(kinds, WIDTH, HIDDEN) * 0.1)
        self.parent = nn.Parameter(torch.randn(kinds, WIDTH, HIDDEN) * 0.1)
        self.bias = nn.Parameter(torch.randn(kinds, HIDDEN) * 0.1)
        self.last = nn.Parameter(torch.randn(kinds, HIDDEN) * 0.1)
        self.start = nn.Parameter(torch.full([kinds], 3.0))
        self.actions = nn.Parameter(torch.randn(ACTIONS, WIDTH))
        self.messages = nn.ModuleList(Messages(cells) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 2 * WIDTH)
        self.bent = nn.Parameter(torch.randn(ACTIONS, 4 * WIDTH) * 0.1)
        self.codes_out = nn.Linear(2 * WIDTH, BOOKS * CODES)
        self.stay = nn.Parameter(torch.full([2], 6.0))

    def drawn(self, logits):
        uniform = torch.rand_like(logits).clamp(1e-6, 1 - 1e-6)
        soft = torch.sigmoid(logits.clamp(-9.21, 9.21) + uniform.logit())
        return (soft > 0.5).to(soft.dtype) + soft - soft.detach()

    def discovered(self, x, kind):
        child = torch.einsum("rcw,rwh->rch", x, self.child[kind]) + self.bias[kind][:, None]
        parent = torch.einsum("rcw,rwh->rch", x, self.parent[kind])
        units = F.leaky_relu(child[:, :, None] + parent[:, None], SLOPE)
        return torch.einsum("rcph,rh->rcp", units, self.last[kind]) + self.start[kind][:, None, None]

    def forward(self, before, actions):
        rows, cells = len(before), self.cells
        acted = actions.sum(1)
        ones = F.one_hot(before, CODES).to(torch.float32)
        x = ones.reshape(rows * cells, BOOKS * CODES) @ self.codes_in
        x = x.reshape(rows, cells, WIDTH) + self.places
        around = self.around(x, [], torch.ones(rows, cells, cells))
        units = F.leaky_relu(self.mask_nodes(around) + (actions @ self.mask_actions)[:, None], SLOPE)
        touched = self.drawn(self.mask_last(units)) * acted[:, None, None]
        usual = self.discovered(x, torch.full([rows], ACTIONS))
        logits = usual + (self.discovered(x, actions.argmax(1)) - usual) * touched
        own = torch.eye(cells)
        edges = self.drawn(logits) * (1 - own) + own
        edges = torch.cat([edges, touched], 2)
        h = x
        for layer in self.messages:
            h = layer(h, [(actions @ self.actions)[:, None]], edges)
        units = self.head(h)
        times, plus = (actions @ self.bent).reshape(rows, 2, 2 * WIDTH).unbind(1)
        units = F.leaky_relu(units + (units * times[:, None] + plus[:, None]) * touched, SLOPE)
        found = self.codes_out(units).reshape(rows, cells, BOOKS, CODES)
        kappa = self.stay[0] + (self.stay[1] - self.stay[0]) * touched
        return found + ones.reshape(found.shape) * kappa[..., None]

    def loss(self, pair):
        before, after, actions = pair
        rows = len(before)
        act, quarter = rows - 2 * (rows // 4), rows // 4
        tell = slice(act, act + quarter)
        others = [actions[tell].roll(k + 1, 1) for k in range(CONTRASTS)]
        last = slice(act + quarter, None)
        first = act + quarter
        all_before = torch.cat([before[:first]] + [before[tell]] * CONTRASTS + [before[last]])
        all_after = torch.cat([after[:first]] + [after[tell]] * CONTRASTS + [before[last]])
        done = torch.cat([actions[:first], *others, torch.zeros_like(actions[last])])
        logits = self.forward(all_before, done)
        each = F.cross_entropy(logits.flatten(0, 2), all_after.flatten(), reduction="none")
        each = each.clamp_max(9.21).reshape(len(all_before), -1).sum(1)
        told = -each[act : act + quarter * (1 + CONTRASTS)].reshape(1 + CONTRASTS, quarter)
        telling = -F.log_softmax(told, 0)[0].mean()
        return each[:act].mean() + 0.5 * (telling + each[-quarter:].mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, choices=["mcq-vae", "ct-vae"])
    parser.add_argument("--repeats", type=int, default=30)
    options, shape = common(parser, "3x64x64", 64)
    if options.model == "mcq-vae":
        model, batch = McqVae(shape), torch.rand(options.batch, *shape)
        if options.channels_last:
            model = model.to(memory_format=torch.channels_last)
            batch = batch.contiguous(memory_format=torch.channels_last)
    else:
        model = CtVae(shape)
        codes = lambda: torch.randint(0, CODES, (options.batch, model.cells * BOOKS))
        actions = F.one_hot(torch.randint(0, ACTIONS, (options.batch,)), ACTIONS).float()
        batch = (codes(), codes(), actions)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=options.fused or None)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        return loss.item()

    timed(step, options.repeats, model)


if __name__ == "__main__":
    main()
