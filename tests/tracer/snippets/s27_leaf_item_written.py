# An item of a leaf is written.
import torch

w = torch.ones(3, requires_grad=True)
w[0] = 5.0
