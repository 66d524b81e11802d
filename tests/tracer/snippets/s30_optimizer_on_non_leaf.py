# An optimizer refuses a non-leaf.
import torch

w = torch.randn(2, requires_grad=True) * 0.1
torch.optim.SGD([w], lr=0.1)
