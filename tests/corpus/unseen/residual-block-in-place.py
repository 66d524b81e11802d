# thread: https://github.com/Jee-King/TSAN/issues/3
# kind: ordinary
# ends: finished
# fact: net[0].weight.grad.abs().sum().item() > 0
# finding: none

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        out += x
        return self.relu(out)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 2, 1), Block(2), Block(2), nn.Flatten(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for _ in range(2):
    optimizer.zero_grad(set_to_none=False)
    loss = F.cross_entropy(net(torch.rand(3, 1, 4, 4)), torch.tensor([0, 1, 0]))
    loss.backward()
    optimizer.step()
print(loss.item())
