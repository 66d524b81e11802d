# thread: https://github.com/benedekrozemberczki/pytorch_geometric_temporal/issues/80
# kind: silently wrong
# ends: finished
# fact: model.evolve.weight_hh.grad is None and model.layer.weight.grad is not None
# finding: `nn.Parameter(...)` on line 14 makes a new leaf of a computed tensor, so nothing flows back to `evolve`, which
#   made it. Use the computed weight itself: `nn.functional.linear(x, weight)`.
# culprit: 14
# victim: 20
# repair: without 14
# repair: line 15: return nn.functional.linear(x, weight, self.layer.bias)
# repaired: model.evolve.weight_hh.grad is not None

import torch
from torch import nn


class Evolving(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.evolve = nn.GRUCell(3, 3)

    def forward(self, x):
        old = self.layer.weight
        weight = self.evolve(old, old)
        self.layer.weight = nn.Parameter(weight)
        return self.layer(x)


torch.manual_seed(26)
model = Evolving()
model(torch.rand(2, 3)).sum().backward()
