# thread: https://github.com/deepset-ai/FARM/issues/229
# kind: silently wrong
# ends: finished
# fact: list((fit(x) - y).shape) == [4, 4]
# fact: loss.item() > 0.5
# finding: On line 9 `fit(x)` has shape [4, 1] and `y` [4]; they broadcast to [4, 4], so every prediction is compared with
#   every target. Make both [4]: `fit(x).squeeze(1)`.
# culprit: 9
# victim: 9
# repair: line 9: loss = nn.functional.mse_loss(fit(x).squeeze(1), y)
# repaired: loss.item() < 1e-6

import torch
from torch import nn

fit = nn.Linear(1, 1)
with torch.no_grad():
    fit.weight.fill_(2), fit.bias.fill_(1)
x = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
y = torch.tensor([1.0, 3.0, 5.0, 7.0])
loss = nn.functional.mse_loss(fit(x), y)
loss.backward()
