# A view cannot be detached in place.
import torch

x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
v.detach_()
