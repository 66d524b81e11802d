# thread: https://github.com/kuc2477/pytorch-wgan-gp/issues/1
# kind: ordinary
# ends: finished
# fact: all(p.grad is not None for p in critic[0].parameters()) and penalty.item() > 0
# finding: none

import torch
from torch import nn

torch.manual_seed(43)
critic, maker = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)), nn.Linear(3, 2)
real, fake = torch.rand(4, 2), maker(torch.rand(4, 3)).detach()
share = torch.rand(4, 1)
between = (share * real + (1 - share) * fake).requires_grad_(True)
score = critic(between)
(slope,) = torch.autograd.grad(score, between, torch.ones_like(score), create_graph=True)
penalty = (slope.norm(2, dim=1) - 1).pow(2).mean()
loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
loss.backward()
