"""Views of one storage, a turn more each, all of them kept and one of them written."""

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
