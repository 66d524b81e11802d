# thread: https://github.com/laekov/fastmoe/issues/49
# kind: silently wrong
# ends: finished
# fact: [gate.grad for gate in (gates[0].weight, gates[1].weight)] == [None, None]
# fact: head.weight.grad is not None
# finding: `torch.tensor(parts)` on line 11 copies the numbers and drops their graphs, so the balance loss changes no gate.
#   Use `torch.stack(parts)`.
# culprit: 11
# victim: 12
# repair: line 11: balance = torch.stack(parts).mean()
# repaired: all(gate.weight.grad is not None for gate in gates)

import torch
from torch import nn

torch.manual_seed(24)
gates, head = nn.ModuleList([nn.Linear(3, 2), nn.Linear(3, 2)]), nn.Linear(3, 1)
tokens = torch.rand(6, 3)
parts = []
for gate in gates:
    share = gate(tokens).softmax(1).mean(0)
    parts.append((share * share).sum())
balance = torch.tensor(parts).mean()
loss = head(tokens).pow(2).mean() + 0.1 * balance
loss.backward()
