# thread: https://github.com/pyg-team/pytorch_geometric/pull/9996
# kind: ordinary
# ends: finished
# fact: prompt.grad is not None and all(p.grad is None for p in judge.parameters())
# finding: none

import torch
from torch import nn

torch.manual_seed(40)
judge = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 2))
for param in judge.parameters():
    param.requires_grad = False
prompt = nn.Parameter(torch.zeros(4))
opt = torch.optim.SGD([prompt], lr=0.5)
for question in torch.rand(3, 2, 4):
    loss = nn.functional.cross_entropy(judge(question + prompt), torch.tensor([0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
