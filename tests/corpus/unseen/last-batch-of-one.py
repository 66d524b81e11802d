# thread: https://github.com/meetps/pytorch-semseg/issues/214
# kind: broken
# ends: ValueError at line 12
# says: Expected more than 1 value per channel when training
# finding: Nine samples in batches of four leave a last batch of one (line 7). BatchNorm cannot compute a variance of
#   one value per channel (line 12). Use `drop_last=True`.
# culprit: 7
# victim: 12
# repair: line 7: loader = DataLoader(data, batch_size=4, drop_last=True)
# repaired: steps == 2

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(306)
data = TensorDataset(torch.randn(9, 4), torch.randint(0, 2, (9,)))
loader = DataLoader(data, batch_size=4)
model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 0
for images, labels in loader:
    loss = nn.functional.cross_entropy(model(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    steps += 1
