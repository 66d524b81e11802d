# The base is written, the view derives its history anew.
import torch

x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
b.mul_(3)
v.mul_(2)
b.sum().backward()
