# thread: https://github.com/mlfoundations/open_clip/issues/573
# kind: ordinary
# ends: finished
# fact: all(torch.allclose(p.grad, q) for p, q in zip(blocks.parameters(), plain))
# finding: none

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(42)
blocks = nn.ModuleList(nn.Sequential(nn.Linear(3, 3), nn.GELU()) for _ in range(3))
start = torch.rand(2, 3)
x = start
for block in blocks:
    x = block(x)
plain = torch.autograd.grad(x.sum(), list(blocks.parameters()))
x = start
for block in blocks:
    x = checkpoint(block, x, use_reentrant=False)
x.sum().backward()
