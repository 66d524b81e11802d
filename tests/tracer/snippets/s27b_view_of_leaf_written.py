# A view of a leaf is written.
import torch

w = torch.ones(4, requires_grad=True)
v = w.view(2, 2)
v.mul_(2)
