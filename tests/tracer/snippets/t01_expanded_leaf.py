# Expanded views and stride 0.
import torch

x = torch.ones(3, 1)
e = x.expand(3, 4)
x[0] = 5
