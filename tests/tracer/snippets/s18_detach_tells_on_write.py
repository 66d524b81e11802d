# `detach()` shares the counter: the write is caught.
import torch

x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.detach().mul_(100)
y.sum().backward()
