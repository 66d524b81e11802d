"""A chain of operators as long as its loop, and its backward."""

from time import process_time

import torch

TURNS = 100
weight = torch.ones(3, requires_grad=True)
x = torch.ones(3)

clock = [process_time()]
for _ in range(TURNS):
    x = x * weight
x.sum().backward()
clock.append(process_time())
