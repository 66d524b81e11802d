# A tensor hook changes the gradient.
import torch

x = torch.ones(2, requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
h.sum().backward()
