# `detach()` writes a leaf.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
d[0] = 99.0
