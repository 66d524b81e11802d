# zero_ on the gradient zeroes what was kept of it.
import torch

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
x.grad.zero_()
