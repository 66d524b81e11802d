# thread: https://github.com/pytorch/pytorch/issues/89543
# kind: silently wrong
# ends: finished
# fact: all(p.isnan().all() for p in net.parameters())
# finding: where on line 8 hides the NaN of the missing target in the loss, but its backward sends 0 into the square of line 6,
#   and 0 times NaN is NaN: every gradient, and after line 20 every weight, is NaN. Replace the missing targets before they are
#   subtracted.
# culprit: 6
# victim: 19
# repair: line 6: error = (prediction - torch.nan_to_num(target)) ** 2
# repaired: all(p.isfinite().all() for p in net.parameters())

import torch
from torch import nn


def masked_loss(prediction, target):
    error = (prediction - target) ** 2
    known = ~torch.isnan(target)
    return torch.where(known, error, torch.zeros_like(error)).sum() / known.sum()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(6, 2), torch.randn(6, 1)
y[3] = float("nan")
for _ in range(2):
    loss = masked_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
