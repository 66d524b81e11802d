# thread: https://github.com/pytorch/pytorch/issues/15666
# kind: broken
# ends: IndexError at line 11
# says: out of bounds
# finding: `scores` has three classes, numbered 0 to 2; `species` (line 6) holds a 3, so `cross_entropy` refuses line
#   11. Subtract 1 from the labels.
# culprit: 6
# victim: 11
# repair: line 11: loss = nn.functional.cross_entropy(scores, species - 1)
# repaired: loss.item() > 0 and net.weight.grad is not None

import torch
from torch import nn

torch.manual_seed(301)
pictures = torch.rand(4, 6)
species = torch.tensor([1, 3, 2, 1])
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

scores = net(pictures)
loss = nn.functional.cross_entropy(scores, species)
opt.zero_grad()
loss.backward()
opt.step()
