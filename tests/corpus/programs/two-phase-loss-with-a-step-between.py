# thread: https://github.com/thuml/Anomaly-Transformer/issues/1
# kind: broken
# ends: RuntimeError at line 16
# says: modified by an inplace operation
# finding: `opt.step()` on line 15 changes the weights in place, and the second backward (line 16) still needs their old
#   values: both losses come from one forward pass. Call both backwards before the step.
# culprit: 15
# victim: 16
# repair: without 15
# repaired: net[0].weight.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(5)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
series, prior = torch.rand(8, 4), torch.rand(8, 4)

for _ in range(2):
    rebuilt = net(series)
    shrink = (rebuilt - series).pow(2).mean() - (rebuilt - prior).abs().mean()
    grow = (rebuilt - series).pow(2).mean() + (rebuilt - prior).abs().mean()
    opt.zero_grad()
    shrink.backward(retain_graph=True)
    opt.step()
    grow.backward()
    opt.step()
