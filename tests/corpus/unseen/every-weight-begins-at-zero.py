# thread: https://upskilled.consulting/courses/supplement/weight-initialization/lab/lab1/
# kind: silently wrong
# ends: finished
# fact: net[0].weight.grad.count_nonzero().item() == net[2].weight.grad.count_nonzero().item() == 0
# finding: With every weight 0 (line 7) the hidden layer is 0 and passes back 0, so the gradients of both weights are exactly 0 in
#   every round (line 13) and only the last bias is trained. Begin with random weights.
# culprit: 7
# victim: 13
# repair: line 7: nn.init.xavier_uniform_(p) if p.dim() > 1 else nn.init.zeros_(p)
# repaired: net[0].weight.grad.count_nonzero().item() > 0

import torch
from torch import nn

torch.manual_seed(518)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
for p in net.parameters():
    nn.init.zeros_(p)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(20, 3)
y = x.sum(1, keepdim=True).sin()
for _ in range(4):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
