# thread: https://github.com/tamarott/SinGAN/issues/148
# kind: broken
# ends: RuntimeError at line 12
# says: modified by an inplace operation
# finding: The picture is generated once (line 9), before the loop, but each round steps the generator (line 13), so
#   the second backward needs weights that were overwritten. Generate the picture inside the loop.
# culprit: 13
# victim: 12
# repair: without 9
# repair: before 11: picture = painter(seed)
# repaired: painter[2].weight.grad is not None

import torch
from torch import nn

torch.manual_seed(7)
painter = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 6))
judge = nn.Linear(6, 1)
opt = torch.optim.SGD(painter.parameters(), lr=0.05)
seed = torch.rand(5, 2)
picture = painter(seed)
for _ in range(3):
    opt.zero_grad()
    (-judge(picture).mean()).backward(retain_graph=True)
    opt.step()
