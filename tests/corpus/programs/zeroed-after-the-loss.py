# thread: https://github.com/rll/deepul/issues/12
# kind: ordinary
# ends: finished
# fact: density.weight.grad is not None and losses[-1] < losses[0]
# finding: none

import torch
from torch import nn

torch.manual_seed(31)
density, losses = nn.Linear(3, 1), []
opt = torch.optim.Adam(density.parameters(), lr=0.1)
samples = torch.rand(16, 3)
for _ in range(5):
    loss = nn.functional.softplus(-density(samples)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
