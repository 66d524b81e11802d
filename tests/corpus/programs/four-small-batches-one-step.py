# thread: https://github.com/pytorch/pytorch/issues/47175
# kind: ordinary
# ends: finished
# fact: steps == 2 and total < 10
# finding: none

import torch
from torch import nn

torch.manual_seed(33)
model, steps, total = nn.Linear(3, 1), 0, 0.0
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
opt.zero_grad()
for number, batch in enumerate(torch.rand(8, 2, 3), 1):
    loss = (model(batch) - 1).pow(2).mean() / 4
    loss.backward()
    total += loss.item()
    if number % 4 == 0:
        opt.step()
        opt.zero_grad()
        steps += 1
