# thread: https://github.com/miaoyukongkong/Programming-Notes
# kind: broken
# ends: ValueError at line 16
# says: target must have size 1
# finding: `picture` is one sample without a batch dimension (line 13), so `output` has the shape (10,), ten scores of one sample, and
#   `label` four classes (line 14, line 16). Give a batch of four pictures.
# culprit: 13
# victim: 16
# repair: line 13: picture = torch.randn(4, 20)
# repaired: model[0].weight.grad is not None

import torch
from torch import nn

torch.manual_seed(810)


def perception(inside, between, outside):
    return nn.Sequential(nn.Linear(inside, between), nn.Sigmoid(), nn.Linear(between, outside))


model = perception(20, 30, 10)
criterion = nn.CrossEntropyLoss()
picture = torch.randn(20)
label = torch.tensor([0, 1, 1, 0])
output = model(picture)
loss = criterion(output, label)
loss.backward()
