# A whole slice of a leaf is added to.
import torch

w = torch.ones(3, requires_grad=True)
w[:] += 1
