# Two gradients meet: torch adds in place and bumps.
import torch

x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x * x).sum(), x)
print(g._version)
