# thread: https://forum.pyro.ai/t/try-to-understand-param-with-constraints/4761
# kind: broken
# ends: ValueError at line 8
# says: can't optimize a non-leaf Tensor
# finding: `sigma` is computed from `raw` (line 7), so it is not a leaf, and an optimizer takes leaves only (line 8).
#   Optimize `raw` and compute `sigma` in each round.
# culprit: 7
# victim: 8
# repair: line 8: opt = torch.optim.Adam([raw], lr=0.1)
# repair: before 10: sigma = raw.exp()
# repaired: raw.grad is not None and raw.item() != 0

import torch
from torch.distributions import Normal

torch.manual_seed(311)
data = torch.randn(20) * 3
raw = torch.zeros(1, requires_grad=True)
sigma = raw.exp()
opt = torch.optim.Adam([sigma], lr=0.1)
for _ in range(3):
    loss = -Normal(0.0, sigma).log_prob(data).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
