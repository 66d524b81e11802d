# thread: https://github.com/pytorch/pytorch/issues/90158
# kind: broken
# ends: RuntimeError at line 12
# says: backward through the graph a second time
# finding: `times` is computed (line 7) from a tensor that requires grad, once, before the loop. The first backward frees
#   that step, and the second round leads back into it. Make `times` a leaf.
# culprit: 7
# victim: 12
# repair: line 7: times = (1 + 3 * torch.rand(20, 1)).requires_grad_()
# repaired: list(times.grad.shape) == [20, 1]

import torch
from torch import nn

torch.manual_seed(11)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
places = torch.rand(20, 1)
times = 1 + 3 * torch.rand(20, 1, requires_grad=True)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(2):
    residual = net(torch.cat([times, places], 1)).square().mean()
    opt.zero_grad()
    residual.backward()
    opt.step()
