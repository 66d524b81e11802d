# Two overlapping views are written in place.
import torch

x = torch.ones(3, requires_grad=True)
b = x.clone()
v1 = b[0:2]
v2 = b[1:3]
v1.mul_(2)
v2.add_(v1.detach())
print(v1.grad_fn is not None, v2.grad_fn is not None)
b.sum().backward()
