# thread: https://github.com/pytorch/pytorch/issues/99187
# kind: broken
# ends: IndexError at line 8, called from line 11
# says: Dimension out of range
# finding: Under `vmap` (line 11) `unit` gets one row, a vector with a single dimension, so `dim=1` does not exist
#   (line 8). Use `dim=-1`.
# culprit: 8
# victim: 8
# repair: line 8: length = p.norm(dim=-1, keepdim=True)
# repaired: slopes.shape == (3, 2, 2)

import torch
from torch.func import jacrev, vmap

torch.manual_seed(312)
points = torch.randn(3, 2)

def unit(p):
    length = p.norm(dim=1, keepdim=True)
    return p / length

slopes = vmap(jacrev(unit))(points)
divergence = slopes.diagonal(dim1=1, dim2=2).sum(1)
