"""Views of one storage: each turn adds a view, all are kept, and one is written."""

from time import process_time

import torch

TURNS = 100
base = torch.zeros(TURNS, 2)
rows = []

clock = [process_time()]
for turn in range(TURNS):
    rows.append(base[turn])
rows[0].add_(1)
clock.append(process_time())
