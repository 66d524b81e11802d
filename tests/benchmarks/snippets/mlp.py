"""100 SGD iterations of a tiny MLP; the measured forward is the forward of the first iteration."""

from time import process_time

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.rand(16, 4)
target = x.sum(1, keepdim=True)

clock = [process_time()]
y = model(x)
clock.append(process_time())
for _ in range(100):
    optimizer.zero_grad()
    loss = ((y - target) ** 2).mean()
    loss.backward()
    optimizer.step()
    y = model(x)
clock.append(process_time())
