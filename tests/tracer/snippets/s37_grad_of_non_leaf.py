# A non-leaf keeps no gradient.
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
h.sum().backward()
print(h.grad, x[0].grad)
