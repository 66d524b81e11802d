# The output of sigmoid is scaled in place.
import torch

x = torch.zeros(2, requires_grad=True)
s = torch.sigmoid(x)
s *= 2
s.sum().backward()
