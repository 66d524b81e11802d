# thread: https://github.com/learnables/learn2learn/issues/271
# kind: broken
# ends: RuntimeError at line 9
# says: you can only change requires_grad flags of leaf variables
# finding: The entries of `fast` are clones with a history (line 6), and `requires_grad` of a computed tensor cannot be
#   switched off (line 9). Use `detach()`.
# culprit: 6
# victim: 9
# repair: line 9: fast[name] = value.detach()
# repaired: not fast["0.weight"].requires_grad and fast["1.weight"].requires_grad

import torch
from torch import nn

torch.manual_seed(17)
slow = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
fast = {name: value.clone() for name, value in slow.named_parameters()}
for name, value in fast.items():
    if name.startswith("0."):
        value.requires_grad = False
guess = torch.func.functional_call(slow, fast, torch.ones(2, 3))
guess.sum().backward()
