"""Generate random training programs with mistakes: alternating models, carried states, writes to weights, kept losses.

The same seed always generates the same program.
"""

import random

from tests.tracer.programs import SIMPLE, source

HEAD = """import copy
import torch
from torch import nn
torch.manual_seed({seed})
x, y = torch.randn(4, 2), torch.randn(4, 2)
G = nn.Sequential(nn.Linear(2, 3), nn.{g}, nn.Linear(3, 2))
D = nn.Sequential(nn.Linear(2, 3), nn.{d}, nn.Linear(3, 1))
opt_g = torch.optim.{opt_g}
opt_d = torch.optim.{opt_d}
w = torch.randn(2, 2, requires_grad=True)
h, total, losses, kept, real = torch.zeros(4, 2), 0, [], [], None
fake = G(x)
loss = (fake - y).pow(2).mean()
"""

LAYERS = (
    "ReLU()",
    "ReLU(inplace=True)",
    "Tanh()",
    "Sigmoid()",
    "LeakyReLU(0.1, inplace=True)",
    "BatchNorm1d(3)",
    "Dropout(0.5)",
)
OPTIMIZERS = ("SGD({}.parameters(), lr=0.1)", "SGD({}.parameters(), lr=0.1, momentum=0.9)", "Adam({}.parameters(), lr=0.01)")

STATEMENTS = (
    *("fake = G(x)", "fake = G(x).detach()", "with torch.no_grad(): fake = G(x)", "fake = G(h)"),
    *(
        "loss = (fake - y).pow(2).mean()",
        "loss = D(fake).mean() - D(y).mean()",
        "loss = -D(fake).mean()",
        "loss = D(G(x)).mean()",
    ),
    *("loss = nn.functional.mse_loss(fake, y[:, :1])", "loss = (h - y).abs().mean()", "loss = D(x * y).sigmoid().log().mean()"),
    *("loss.backward()", "loss.backward(retain_graph=True)", "loss.backward()", "(loss * 2).backward()"),
    *(
        "opt_g.zero_grad()",
        "opt_d.zero_grad()",
        "opt_g.zero_grad(set_to_none=False)",
        "opt_g.step()",
        "opt_d.step()",
        "opt_g.step()",
    ),
    *("total += loss", "total += loss.item()", "losses.append(loss)", "losses.append(loss.detach())", "kept.append(h)"),
    *("for p in D.parameters(): p.data.clamp_(-0.1, 0.1)", "nn.utils.clip_grad_norm_(G.parameters(), 1.0)"),
    "for p in D.parameters(): p.requires_grad_(False)",
    "for p in D.parameters(): p.requires_grad_(True)",
    "with torch.no_grad(): w -= 0.1 if w.grad is None else 0.1 * w.grad",
    *("w -= 0.1", "w.data -= 0.1", "w = w - 0.1", "w.grad = None", "G[0].weight.data.mul_(0.9)", "G[0].bias.detach().add_(1)"),
    *("h = torch.tanh(h @ w + x)", "h = h.detach()", "h += x", "h.mul_(0.5)", "h[0] = 0", "h = h.clone()", "h = G(h)"),
    *(
        "kept.append(G[0].weight.grad)",
        "real = G.state_dict()",
        "real = copy.deepcopy(G.state_dict())",
        "real = G",
        "kept.append(w)",
    ),
    *(
        "h.register_hook(print) if h.requires_grad else None",
        "w.register_hook(lambda g: g * 0.5)",
        "h.retain_grad() if h.requires_grad else None",
    ),
    *("G.eval()", "G.train()", "y = y.view(-1).view(4, 2)", "y.add_(0.1)", "x = x.reshape(4, 2)", "x[:, 0] += 1", "total = 0"),
    *(
        "print(w.grad, h.grad)",
        "array = y.numpy()",
        "y.numpy()[...] = 1",
        "h = torch.tensor(h.tolist())",
        "w.grad = torch.ones(2, 2)",
    ),
    *(
        "slope, = torch.autograd.grad(loss, w, allow_unused=True, retain_graph=True)",
        "torch.autograd.backward([loss, h.sum()])",
    ),
    *(
        "row = h[0]; row.add_(1)",
        "parts = h.unbind(0); parts[0].mul_(2)",
        "fake.data.mul_(2)",
        "fake.detach().add_(1)",
        "fake *= 2",
    ),
)
"""The statements that the body of a loop can contain."""


def training(seed: int) -> str:
    """Return a program with one or two loops. Each iteration executes some of STATEMENTS in random order."""
    chosen = random.Random(seed)
    layers = {name: chosen.choice(LAYERS) for name in "gd"}
    optimizers = {f"opt_{name.lower()}": chosen.choice(OPTIMIZERS).format(name) for name in "GD"}
    lines = [HEAD.format(seed=seed, **layers, **optimizers)]
    for number in range(chosen.randint(1, 2)):
        body = chosen.choices(STATEMENTS, k=chosen.randint(4, 12))
        if chosen.random() < 0.3:
            lines.append(f"def turn_{number}(x, h, w, fake, loss, total, y):\n")
            lines += [f"    {line}\n" for line in ["real = None", *body, "return h, fake, loss"]]
            body = [f"h, fake, loss = turn_{number}(x, h, w, fake, loss, total, y)"]
        lines.append(f"for round_{number} in range({chosen.randint(1, 4)}):\n")
        lines += [f"    {line}\n" for line in body]
    return "".join(lines)


def writing(seed: int) -> str:
    """Return a random program with tensors, views, writes, hooks, blocks and backward passes."""
    chosen = random.Random(seed)
    kinds = [chosen.randint(0, len(SIMPLE) + 2) for _ in range(chosen.randint(8, 24))]
    return source([(kind, chosen.randint(0, 63), chosen.randint(0, 63), chosen.randint(0, 63)) for kind in kinds])
