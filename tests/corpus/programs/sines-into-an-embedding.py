# thread: https://github.com/Atcold/NYU-DLSP20/issues/765
# kind: broken
# ends: RuntimeError at line 12, called from line 16
# says: a view of a leaf Variable that requires grad is being used in an in-place operation
# finding: `table` is the Parameter of an Embedding, a leaf that requires grad, and line 12 writes a view of it in place.
#   The sines are constants: write them under `torch.no_grad()`.
# culprit: 12
# victim: 12
# repair: line 12: with torch.no_grad(): table[:, 0::2] = torch.sin(angles)
# repair: line 13: with torch.no_grad(): table[:, 1::2] = torch.cos(angles)
# repaired: round(pos.lookup.weight[1, 0].item(), 4) == 0.8415

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.lookup = nn.Embedding(length, width)
        steps = torch.arange(length, dtype=torch.float).unsqueeze(1)
        angles = steps / 100 ** (torch.arange(0, width, 2) / width)
        table = self.lookup.weight
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)


pos = Positions(6, 4)
