# thread: https://github.com/pytorch/pytorch/issues/10856
# kind: ordinary
# ends: finished
# fact: torch.equal(model[1].running_mean, torch.zeros(4)) and model[1].weight.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(41)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
model[1].eval()
for batch in torch.rand(2, 5, 3):
    opt.zero_grad()
    model(batch).pow(2).mean().backward()
    opt.step()
