# thread: https://github.com/microsoft/nni/issues/4521
# kind: silently wrong
# ends: finished
# fact: net[2].weight.grad is not None
# fact: all(p is not net[2].weight for p in optimizer.param_groups[0]["params"])
# finding: net[2] is replaced on line 17, but optimizer was given the old layer's parameters on line 7: the new net[2].weight and
#   net[2].bias get gradients and are never updated, and zero_grad does not clear them. Make a new optimizer after the layer is
#   replaced.
# culprit: 17
# victim: 28
# repair: line 25: optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
# repaired: any(p is net[2].weight for p in optimizer.param_groups[0]["params"])
# repaired: abs(net[2].weight.grad[0, 0].item() - 0.5354) < 1e-3

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x = torch.randn(16, 3)
y = x.prod(1, keepdim=True)


def prune(net, keep):
    order = net[2].weight.abs().sum(0).topk(keep).indices
    smaller = nn.Linear(keep, 1)
    smaller.weight.data = net[2].weight.data[:, order]
    net[0].weight.data, net[0].bias.data = net[0].weight.data[order], net[0].bias.data[order]
    net[2] = smaller
    for p in net[0].parameters():
        p.grad = None


for epoch in range(4):
    if epoch == 2:
        prune(net, 4)
        optimizer.state.clear()
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
print(net[2].weight.grad)
