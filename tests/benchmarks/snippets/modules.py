"""A model with one Module per turn, and its forward and backward."""

from time import process_time

import torch
from torch import nn

TURNS = 100
model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(TURNS)])
x = torch.ones(1, 2)

clock = [process_time()]
model(x).sum().backward()
clock.append(process_time())
