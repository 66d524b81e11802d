# thread: https://github.com/lucidrains/byol-pytorch/issues/93
# kind: silently wrong
# ends: finished
# fact: torch.equal(net.weight, before)
# finding: `opt.zero_grad()` on line 12 throws the gradients away that the backward on line 11 made, and the step on
#   line 13 changes nothing. Zero them before the backward or after the step.
# culprit: 12
# victim: 13
# repair: without 12
# repair: after 13: opt.zero_grad()
# repaired: not torch.equal(net.weight, before)

import torch
from torch import nn

torch.manual_seed(20)
net = nn.Linear(4, 2)
before = net.weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
views = torch.rand(2, 6, 4)
for left, right in zip(views[:-1], views[1:]):
    gap = (net(left) - net(right)).pow(2).mean()
    gap.backward()
    opt.zero_grad()
    opt.step()
