import torch
b = torch.ones(4, requires_grad=True) * 1
v = b[:2]
b.mul_(3)
v.mul_(2)
b.sum().backward()
