# A boolean mask writes what a product saved.
import torch

x = torch.tensor([1.0, -1.0], requires_grad=True)
h = x * 1
y = h * h
h[h < 0] = 0
y.sum().backward()
