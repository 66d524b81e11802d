# thread: https://github.com/leftthomas/CGD/issues/12
# kind: silently wrong
# ends: finished
# fact: loss.isfinite().item() and net[0].weight.grad.isnan().all().item()
# finding: For the black picture `power` is 0, and the slope of `pow(1 / self.p)` at 0 is infinite (line 11); times the 0 of `sign`
#   and `abs`, that is NaN, so after line 19 all of `net[0].weight.grad` is NaN. Clamp to a small number before the root.
# culprit: 11
# victim: 19
# repair: line 11: return power.sign() * power.abs().clamp(min=1e-6).pow(1 / self.p)
# repaired: net[0].weight.grad.isfinite().all().item()

import torch
from torch import nn

class PowerMean(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        power = x.pow(self.p).mean((2, 3))
        return power.sign() * power.abs().pow(1 / self.p)

torch.manual_seed(511)
net = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False), PowerMean(3), nn.Linear(4, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
pictures = torch.rand(5, 1, 6, 6)
pictures[3] = 0
loss = nn.functional.cross_entropy(net(pictures), torch.tensor([0, 1, 1, 0, 1]))
loss.backward()
opt.step()
