# thread: https://theneuralbase.com/pytorch/learn/beginner/broadcasting-rules-shape-compatibility/
# kind: broken
# ends: RuntimeError at line 9
# says: output with shape [5, 1] doesn't match the broadcast shape [5, 7]
# finding: `distance` has the shape (5, 1); with a row of 7 the sum has (5, 7), and `+=` (line 9) cannot grow the tensor it
#   writes into. Write `distance = distance + ...`.
# culprit: 9
# victim: 9
# repair: line 9: distance = distance + places.pow(2).sum(1)
# repaired: distance.shape == (5, 7) and embed.weight.grad is not None

import torch
from torch import nn

torch.manual_seed(506)
embed = nn.Linear(3, 4)
people, places = embed(torch.randn(5, 3)), embed(torch.randn(7, 3))

distance = people.pow(2).sum(1, keepdim=True)
distance += places.pow(2).sum(1)
distance = distance - 2 * people @ places.T
distance.min(1).values.mean().backward()
