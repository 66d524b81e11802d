# thread: https://github.com/pytorch/pytorch/issues/86590
# kind: silently wrong
# ends: finished
# fact: backbone[0].weight.grad is None and not torch.equal(backbone[1].running_mean, torch.zeros(3))
# finding: `requires_grad_(False)` (line 6) stops the gradients of the backbone, but its BatchNorm is in training mode and
#   each forward pass (line 11) updates `running_mean` and `running_var`. Call `backbone.eval()`.
# culprit: 6
# victim: 11
# repair: after 6: backbone.eval()
# repaired: torch.equal(backbone[1].running_mean, torch.zeros(3)) and head.weight.grad is not None

import torch
from torch import nn

torch.manual_seed(27)
backbone, head = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), nn.Linear(3, 1)
backbone.requires_grad_(False)

opt = torch.optim.SGD(head.parameters(), lr=0.1)
for batch in torch.rand(3, 6, 4):
    opt.zero_grad()
    head(backbone(batch)).pow(2).mean().backward()
    opt.step()
