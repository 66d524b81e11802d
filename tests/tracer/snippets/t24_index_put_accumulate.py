# Masks, index_put, scatter.
import torch

x = torch.zeros(5)
x[torch.tensor([0, 0, 1])] = 3.0
x.index_add_(0, torch.tensor([0, 1]), torch.ones(2))
m = x > 2
x[m] = -1
y = x[m]
