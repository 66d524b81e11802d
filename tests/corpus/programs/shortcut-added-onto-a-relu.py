# thread: https://github.com/iMED-Lab/ER-Net/pull/3
# kind: broken
# ends: RuntimeError at line 18
# says: modified by an inplace operation
# finding: `relu` (line 12) saves its output for backward, and `out += x` on line 13 changes it in place.
#   Write `out = out + x`.
# culprit: 13
# victim: 18
# repair: line 13: out = out + x
# repaired: block.second.weight.grad.shape == (4, 4)

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        out = torch.relu(self.first(x))
        out = torch.relu(self.second(out))
        out += x
        return out

torch.manual_seed(15)
block = Block()
block(torch.rand(2, 4)).sum().backward()
