# thread: https://github.com/rosinality/vq-vae-2-pytorch/issues/60
# kind: silently wrong
# ends: finished
# fact: out[0].tolist() == [1.0, 0.0]
# finding: `nn.ReLU(inplace=True)` (line 9) is the first to see `x` and overwrites it, so the skip on line 14 adds
#   relu(x) and not `x`. Use `nn.ReLU()` there.
# culprit: 9
# victim: 14
# repair: line 9: self.path = nn.Sequential(nn.ReLU(), nn.Linear(2, 2, bias=False))
# repaired: out[0].tolist() == [1.0, -2.0]

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        # Activation first.
        self.path = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(2, 2, bias=False))
        nn.init.zeros_(self.path[1].weight)

    def forward(self, x):
        change = self.path(x)
        return x + change


scale = torch.ones(2, requires_grad=True)
out = Residual()(torch.tensor([[1.0, -2.0]]) * scale)
out.sum().backward()
