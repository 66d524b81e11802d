# thread: https://github.com/weka511/hpa-scc/issues/38
# kind: broken
# ends: ValueError at line 22, called from line 29
# says: Expected input batch_size (36) to match target batch_size (9)
# fact: net.out.weight.grad is None
# finding: The maps on line 15 are (9, 4, 6, 6), and view(-1, 36) cuts each image into four rows, so the scores are (36, 5) for 9
#   labels on line 22. Flatten per image, x.flatten(1), with 4 * 6 * 6 inputs on line 11.
# culprit: 15
# victim: 22
# repair: line 11: self.out = nn.Linear(4 * 6 * 6, 5)
# repair: line 15: x = x.flatten(1)
# repaired: list(net.out.weight.grad.shape) == [5, 144]

import torch
import torch.nn.functional as F
from torch import nn


class Slices(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Linear(4 * 3 * 3, 5)

    def forward(self, x):
        x = self.pool(F.relu(self.conv(x)))
        x = x.view(-1, 4 * 3 * 3)
        return self.out(x)


def epoch(net, optimizer, images, labels):
    for rows in torch.arange(18).split(9):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(images[rows]), labels[rows])
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
net = Slices()
epoch(net, torch.optim.SGD(net.parameters(), lr=0.1), torch.rand(18, 1, 14, 14), torch.randint(0, 5, (18,)))
print(net.out.weight.grad.shape)
