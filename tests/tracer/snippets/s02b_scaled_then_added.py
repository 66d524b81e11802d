# A scaled tensor is written: nothing was saved.
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
h += 1
h.sum().backward()
