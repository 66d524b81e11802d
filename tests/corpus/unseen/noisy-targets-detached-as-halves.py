# thread: https://github.com/LiJunnan1992/MLNT/issues/8
# kind: broken
# ends: RuntimeError at line 9
# says: Can't detach views in-place
# finding: `aim` is a view of `both` (line 8), and `detach_()` is not allowed on a view (line 9). Write `aim =
#   aim.detach()`.
# culprit: 8
# victim: 9
# repair: line 9: aim = aim.detach()
# repaired: model.weight.grad is not None and not aim.requires_grad

import torch
from torch import nn

torch.manual_seed(310)
model = nn.Linear(4, 3)
clean, noisy = torch.rand(2, 5, 4)
both = model(torch.cat([clean, noisy]))
aim, guess = both.chunk(2)
aim.detach_()
loss = nn.functional.kl_div(guess.log_softmax(1), aim.softmax(1), reduction="batchmean")
loss.backward()
