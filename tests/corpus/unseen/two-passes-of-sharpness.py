# thread: https://github.com/davda54/sam/issues/10
# kind: broken
# ends: RuntimeError at line 26
# says: Trying to backward through the graph a second time
# fact: loss.item() > 2
# finding: loss still holds the sum of the first pass when line 25 adds to it, so line 26 goes again through the graph that line
#   16 freed. Start the second sum from zero.
# culprit: 25
# victim: 26
# repair: after 21: loss = 0
# repaired: abs(loss.item() - 1.4405) < 1e-3

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
trunk = nn.Linear(4, 5)
heads = nn.ModuleList(nn.Linear(5, 2) for _ in range(2))
params = [*trunk.parameters(), *heads.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
x, labels = torch.randn(6, 4), torch.randint(0, 2, (2, 6))

loss = 0
features = torch.relu(trunk(x))
for head, label in zip(heads, labels):
    loss = loss + F.cross_entropy(head(features), label)
loss.backward()
with torch.no_grad():
    steps = [0.05 * p.grad for p in params]
    for p, step in zip(params, steps):
        p.add_(step)
optimizer.zero_grad()

features = torch.relu(trunk(x))
for head, label in zip(heads, labels):
    loss = loss + F.cross_entropy(head(features), label)
loss.backward()
with torch.no_grad():
    for p, step in zip(params, steps):
        p.sub_(step)
optimizer.step()
