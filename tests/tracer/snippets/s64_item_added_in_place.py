# `x[0] += 1` bumps twice.
import torch

x = torch.zeros(3)
x[0] += 1
x[1] = 2
