# thread: https://github.com/VGraphRNN/VGRNN/issues/4
# kind: silently wrong
# ends: finished
# fact: moved.item() > 1
# finding: `clip_grad_norm_` on line 12 comes after `opt.step()` (line 11), which has used the unclipped gradients; the
#   next `zero_grad` drops the clipped ones. Clip between backward and step.
# culprit: 12
# victim: 11
# repair: without 12
# repair: before 11: nn.utils.clip_grad_norm_(net.parameters(), 0.5)
# repaired: moved.item() < 0.51

import torch
from torch import nn

torch.manual_seed(21)
net = nn.Linear(3, 1)
start = net.weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=1.0)
for batch in torch.rand(1, 8, 3) * 10:
    opt.zero_grad()
    net(batch).pow(2).mean().backward()
    opt.step()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
moved = (net.weight.detach() - start).norm()
