# thread: https://github.com/microsoft/nni/issues/4521
# kind: silently wrong
# ends: finished
# fact: torch.equal(net[1].weight, small) and net[1].weight.grad is not None
# finding: The optimizer (line 6) holds the Parameters of the layer that line 9 replaces. The new layer gets gradients,
#   but no step changes it. Make the optimizer after the replacement.
# culprit: 6
# victim: 14
# repair: after 9: opt = torch.optim.SGD(net.parameters(), lr=0.1)
# repaired: not torch.equal(net[1].weight, small)

import torch
from torch import nn

torch.manual_seed(25)
net = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)

# Prune the last layer to two outputs.
net[1] = nn.Linear(6, 2)
small = net[1].weight.detach().clone()
for batch in torch.rand(3, 5, 4):
    opt.zero_grad()
    net(batch).pow(2).mean().backward()
    opt.step()
