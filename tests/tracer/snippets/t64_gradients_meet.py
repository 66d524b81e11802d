# Torch accumulates a second gradient in place, which increments the version counter.
import torch

x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x * x).sum(), x)
print(g._version)
