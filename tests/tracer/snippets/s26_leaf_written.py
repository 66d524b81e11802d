# A leaf is written in place.
import torch

w = torch.ones(3, requires_grad=True)
w += 1
