# thread: https://github.com/huangleiBuaa/IterNorm-pytorch/issues/2
# kind: broken
# ends: RuntimeError at line 11, called from line 16
# says: more than one element of the written-to tensor refers to a single memory location
# finding: The buffer is made with `expand` (line 8), which copies nothing, so its groups share their memory and cannot
#   be written (line 11). Add `.clone()`.
# culprit: 8
# victim: 11
# repair: line 8: self.register_buffer("running", torch.eye(width).expand(groups, width, width).clone())
# repaired: list(norm.running.shape) == [3, 2, 2]

import torch
from torch import nn


class Whiten(nn.Module):
    def __init__(self, groups, width):
        super().__init__()
        self.register_buffer("running", torch.eye(width).expand(groups, width, width))

    def forward(self, x):
        self.running.mul_(0.9).add_(0.1 * (x.transpose(1, 2) @ x).detach())
        return x @ self.running


norm = Whiten(3, 2)
whitened = norm(torch.ones(3, 4, 2))
