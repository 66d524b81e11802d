"""A list that grows by one tensor per turn, like a list of losses."""

from time import process_time

import torch

TURNS = 100
weight = torch.ones(3, requires_grad=True)
losses = []

clock = [process_time()]
for turn in range(TURNS):
    losses.append((weight * turn).sum())
clock.append(process_time())
