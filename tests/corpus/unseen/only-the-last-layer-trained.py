# thread: https://discuss.pytorch.org/t/best-practice-for-freezing-layers/58156
# kind: ordinary
# ends: finished
# fact: model[0].weight.grad is None and model[-1].weight.grad is not None
# finding: none

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 3))
for parameter in model.parameters():
    parameter.requires_grad = False
model[-1] = nn.Linear(8, 2)
model.eval()
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.5)
x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
history = []
for _ in range(3):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.detach())
print(torch.stack(history))
