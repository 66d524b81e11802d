# thread: https://github.com/pytorch/pytorch/issues/103329
# kind: broken
# ends: RuntimeError at line 6, called from line 10
# says: vmap: inplace arithmetic(self, *extra_args) is not possible
# finding: Inside `vmap`, `turn` is one plain matrix (line 5) for all samples, and line 6 would write a batch of values
#   into it. Make it from the sample: `torch.zeros_like(sample)`.
# culprit: 5
# victim: 6
# repair: line 5: turn = torch.zeros_like(sample)
# repaired: list(turned.shape) == [4, 2, 2] and turned[0, 0, 1].item() == 1.0

import torch


def corner(sample):
    turn = torch.zeros(2, 2)
    turn[0, 1] = turn[0, 1] + sample[0, 0]
    return turn


turned = torch.vmap(corner)(torch.ones(4, 2, 2))
