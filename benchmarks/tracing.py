"""`python -m benchmarks.tracing`: what recording costs, as ratios of processor time, recorded against plain.

Both are measured side by side in forks of one warm process, as the sandbox runs snippets; the least of several counts.
"""

import json
import os
import sys
import time

from app.trace.records import Request
from app.tracer.entry import preload
from app.tracer.recording import Recording

ROUNDS = 5

TINY_MLP = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.rand(16, 4)
y = x.sum(1, keepdim=True)
for step in range(100):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""

RESNET = """
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, c, d, s):
        super().__init__()
        self.a = nn.Conv2d(c, d, 3, s, 1, bias=False); self.na = nn.BatchNorm2d(d)
        self.b = nn.Conv2d(d, d, 3, 1, 1, bias=False); self.nb = nn.BatchNorm2d(d)
        self.skip = nn.Sequential() if c == d and s == 1 else nn.Sequential(nn.Conv2d(c, d, 1, s, bias=False), nn.BatchNorm2d(d))
    def forward(self, x):
        y = self.nb(self.b(self.na(self.a(x)).relu()))
        return (y + self.skip(x)).relu()
W = [64, 128, 256, 512]
net = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
    *[b for i, w in enumerate(W) for b in (Block(W[max(i - 1, 0)], w, 1 + (i > 0)), Block(w, w, 1))],
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
x = torch.rand(2, 3, 64, 64)
loss = nn.functional.cross_entropy(net(x), torch.tensor([1, 2]))
loss.backward()
"""

GPT = """
import torch
from torch import nn
D, T, H = 64, 32, 4
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1 = nn.LayerNorm(D); self.n2 = nn.LayerNorm(D)
        self.qkv = nn.Linear(D, 3 * D); self.out = nn.Linear(D, D)
        self.up = nn.Linear(D, 4 * D); self.down = nn.Linear(4 * D, D)
    def forward(self, x):
        B = x.shape[0]
        q, k, v = self.qkv(self.n1(x)).split(D, 2)
        q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in (q, k, v))
        a = (q @ k.transpose(-2, -1)) / (D // H) ** 0.5
        a = a.masked_fill(MASK, float("-inf")).softmax(-1)
        x = x + self.out((a @ v).transpose(1, 2).reshape(B, T, D))
        return x + self.down(nn.functional.gelu(self.up(self.n2(x))))
MASK = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(100, D); self.pos = nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(12))
        self.norm = nn.LayerNorm(D); self.head = nn.Linear(D, 100)
    def forward(self, i):
        x = self.tok(i) + self.pos(torch.arange(T))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
gpt = GPT()
optimizer = torch.optim.AdamW(gpt.parameters())
i = torch.randint(100, (2, T))
loss = nn.functional.cross_entropy(gpt(i).view(-1, 100), i.view(-1))
loss.backward()
optimizer.step()
"""

ONE_OPERATOR = """
import torch
x = torch.ones(3)
for step in range(COUNT):
    x = x * 1.0001
"""

SNIPPETS = {
    "tiny MLP, 100 SGD iterations": (TINY_MLP, 15.0),
    "ResNet-18, batch 2, 64 x 64": (RESNET, 2.0),
    "GPT, 12 blocks, d 64, T 32": (GPT, 6.0),
    "300 operators": (ONE_OPERATOR.replace("COUNT", "300"), None),
    "3000 operators": (ONE_OPERATOR.replace("COUNT", "3000"), None),
}
"""Snippet, and how many times its plain time it may take."""


def main() -> int:
    """Measure and print; 0 when every budget is kept."""
    preload()
    kept = True
    print(f"{'':<30} {'plain':>9} {'recorded':>9} {'ratio':>7} {'budget':>7} {'trace':>10}")
    measured: dict[str, tuple[float, int]] = {}
    for name, (source, budget) in SNIPPETS.items():
        plain = min(run(source, recorded=False)[0] for _ in range(ROUNDS))
        recorded, size = measured[name] = min(run(source, recorded=True) for _ in range(ROUNDS))
        kept = kept and (budget is None or recorded <= budget * plain)
        limit = "" if budget is None else f"{budget:.0f} x"
        print(f"{name:<30} {plain * 1e3:6.1f} ms {recorded * 1e3:6.1f} ms {recorded / plain:5.1f} x {limit:>7} {size:>8} B")
    few, many = measured["300 operators"], measured["3000 operators"]
    print(f"10 x the operators: {many[0] / few[0]:.1f} x the time, {many[1] / few[1]:.1f} x the bytes (at most 11)")
    return 0 if kept and many[0] <= 11 * few[0] and many[1] <= 11 * few[1] else 1


def run(source: str, *, recorded: bool) -> tuple[float, int]:
    """Processor seconds in a fork of this process, and the bytes of the trace."""
    reader, writer = os.pipe()
    if not os.fork():
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(measure(source, recorded=recorded)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        seconds, size = json.loads(pipe.read())
    os.wait()
    return seconds, size


def measure(source: str, *, recorded: bool) -> tuple[float, int]:
    """In this process."""
    size = 0

    def emit(chunk: bytes) -> None:
        nonlocal size
        size += len(chunk)

    began = time.process_time()
    if recorded:
        Recording(Request(source=source), emit, stop=lambda: os._exit(1)).run()
    else:
        exec(compile(source, "snippet.py", "exec"), {"__name__": "__main__"})
    return time.process_time() - began, size


if __name__ == "__main__":
    sys.exit(main())
