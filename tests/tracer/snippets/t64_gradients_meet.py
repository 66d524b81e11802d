# Two gradients are accumulated: torch adds in place and increments the counter.
import torch

x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x * x).sum(), x)
print(g._version)
