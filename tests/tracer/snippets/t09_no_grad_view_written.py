# The base of a view is written in place; the view was created in no_grad.
import torch

x = torch.ones(2, requires_grad=True)
b = x * 1
with torch.no_grad():
    v = b[:1]
b.mul_(2)
print(v._version)
