# thread: https://github.com/NVIDIA/Megatron-LM/pull/411
# kind: silently wrong
# ends: finished
# fact: layer.p == 0
# finding: The first evaluation sets `self.p` to 0 (line 12) and nothing sets it back, so from the second epoch on
#   there is no dropout in training (line 21). Use a local variable.
# culprit: 12
# victim: 21
# repair: line 11: p = self.p if self.training else 0.0
# repair: without 12
# repair: line 14: return F.dropout((q @ k.transpose(-2, -1)).softmax(-1), p) @ v
# repaired: layer.p == 0.5

import torch
import torch.nn.functional as F
from torch import nn

class Attention(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.mix, self.p = nn.Linear(4, 12), p

    def forward(self, x):
        if not self.training:
            self.p = 0.0
        q, k, v = self.mix(x).chunk(3, dim=-1)
        return F.dropout((q @ k.transpose(-2, -1)).softmax(-1), self.p) @ v

torch.manual_seed(409)
layer = Attention(0.5)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(2):
    layer.train()
    loss = layer(torch.rand(2, 3, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    layer.eval()
    with torch.no_grad():
        score = layer(torch.rand(1, 3, 4)).mean().item()
