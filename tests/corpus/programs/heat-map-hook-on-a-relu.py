# thread: https://github.com/pytorch/pytorch/issues/61519
# kind: broken
# ends: RuntimeError at line 15
# says: Output 0 of BackwardHookFunction is a view and is being modified inplace
# finding: The full backward hook (line 13) makes the input of `head[1]` the output of a custom Function, and
#   `ReLU(inplace=True)` (line 6) writes it. Use `inplace=False`.
# culprit: 6
# victim: 15
# repair: line 6: head = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
# repaired: list(heat[0].shape) == [3, 4]

import torch
from torch import nn

torch.manual_seed(1)
heat = []
head = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))


def keep(module, entering, leaving):
    heat.append(leaving[0].detach())


head[1].register_full_backward_hook(keep)
pictures = torch.rand(3, 4)
scores = head(pictures)
scores[:, 0].sum().backward()
