# thread: https://github.com/toandaominh1997/EfficientDet.Pytorch/issues/161
# kind: broken
# ends: RuntimeError at line 24
# says: is at version 1; expected version 0
# finding: `relu` keeps its output `w` for backward (line 12), and line 13 divides it in place, so backward (line 24) does not find the
#   values. Write `w = w / (w.sum(0) + 1e-4)`.
# culprit: 13
# victim: 24
# repair: line 13: w = w / (w.sum(0) + 1e-4)
# repaired: fuse.w.grad is not None

import torch
from torch import nn


class Fuse(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.w = nn.Parameter(torch.ones(levels))
        self.conv = nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, maps):
        w = torch.relu(self.w)
        w /= w.sum(0) + 1e-4
        mixed = sum(each * m for each, m in zip(w, maps))
        return self.conv(mixed)


torch.manual_seed(811)
fuse = Fuse(3)
optimizer = torch.optim.SGD(fuse.parameters(), lr=0.1)
maps = [torch.randn(1, 2, 6, 6) for _ in range(3)]
loss = fuse(maps).square().mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
