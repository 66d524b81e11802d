# A kept gradient is updated in place.
import torch

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 3).sum().backward()
x.grad = None
(x * 3).sum().backward()
x.grad.zero_()
