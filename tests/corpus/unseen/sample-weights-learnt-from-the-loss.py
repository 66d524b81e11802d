# thread: https://github.com/JerryYLi/bg-resample-ood/issues/1
# kind: broken
# ends: RuntimeError at line 20
# says: modified by an inplace operation
# fact: sample_weights.abs().sum().item() == 0
# finding: optimizer.step() on line 18 writes head.weight in place, but the backward of line 20 needs the old value that line 13
#   saved. weight_loss is to train sample_weights only, so per_sample should be detached in it.
# culprit: 18
# victim: 20
# repair: line 15: weight_loss = -(per_sample.detach() * sample_weights.softmax(0)).sum()
# repaired: abs(sample_weights[4].item() - 0.0093) < 1e-3

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 5), nn.Linear(5, 3)
sample_weights = nn.Parameter(torch.zeros(6))
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
weight_optimizer = torch.optim.SGD([sample_weights], lr=0.1)
x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])

for epoch in range(2):
    per_sample = F.cross_entropy(head(torch.relu(body(x))), y, reduction="none")
    loss = (per_sample * sample_weights.detach().sigmoid()).mean()
    weight_loss = -(per_sample * sample_weights.softmax(0)).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    weight_optimizer.zero_grad()
    weight_loss.backward()
    weight_optimizer.step()
print(sample_weights)
