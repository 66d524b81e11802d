# thread: https://ajkdrag.in/2-Zettels/detach-trick-for-straight-through-estimators
# kind: ordinary
# ends: finished
# fact: net[0].weight.grad.abs().sum().item() > 0
# finding: none

import torch
import torch.nn.functional as F
from torch import nn


class Ternary(nn.Linear):
    def forward(self, x):
        scale = self.weight.abs().mean().clamp(min=1e-5)
        levels = (self.weight / scale).round().clamp(-1, 1) * scale
        return F.linear(x, self.weight + (levels - self.weight).detach(), self.bias)


torch.manual_seed(0)
net = nn.Sequential(Ternary(4, 6), nn.ReLU(), Ternary(6, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(10, 4)
for _ in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), x.abs().sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(loss.item())
