# By index it works.
import torch

x = torch.ones(2, 3, requires_grad=True).clone()
for i in range(2):
    x[i].mul_(2)
x.sum().backward()
