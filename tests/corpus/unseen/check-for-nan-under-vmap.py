# thread: https://github.com/pytorch/pytorch/issues/186301
# kind: broken
# ends: RuntimeError at line 6, called from line 11, called from line 16
# says: data-dependent control flow
# finding: Under `vmap` (line 16) `bad` stands for one value per sample, and `if` (line 6) needs one bool, so it raises. Check the
#   whole batch before `vmap`, or replace the branch by `torch.where`.
# culprit: 6
# victim: 6
# repair: line 16: check(batch); out = vmap(lambda x: x * 2)(batch)
# repaired: out.shape == (4, 8)

import torch
from torch.func import vmap


def check(x):
    if x.isnan().any():
        raise RuntimeError("there is a NaN")


def doubled(x):
    check(x)
    return x * 2


batch = torch.arange(32.0).reshape(4, 8)
out = vmap(doubled)(batch)
print(out.sum())
