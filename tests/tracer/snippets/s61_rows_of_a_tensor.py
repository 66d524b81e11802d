# Iterating gives views of many.
import torch

x = torch.ones(2, 3, requires_grad=True).clone()
for row in x:
    row.mul_(2)
