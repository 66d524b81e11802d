# thread: https://github.com/pytorch/functorch/issues/59
# kind: broken
# ends: RuntimeError at line 9, called from line 11
# says: do not support batching operators that can support dynamic shape
# finding: How many columns `scores[:, member]` has depends on the values of the mask, and `vmap` (line 11) needs the same shape
#   for every sample, so line 9 raises. Keep the shape: `torch.where(member, scores, 0.0)`.
# culprit: 9
# victim: 9
# repair: line 9: return torch.where(member, scores, 0.0).sum(-1)
# repaired: torch.allclose(totals, (scores @ groups.float()).T)

import torch
from torch.func import vmap

torch.manual_seed(503)
scores = torch.rand(3, 7)
groups = torch.rand(7, 2) > 0.5

def total(member):
    return scores[:, member].sum(-1)

totals = vmap(total, in_dims=1)(groups)
