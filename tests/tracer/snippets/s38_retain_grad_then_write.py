# retain_grad follows the object after a write.
import torch

x = torch.ones(2, requires_grad=True)
h = x * 2
h.retain_grad()
h.mul_(3)
h.sum().backward()
g = h.grad
