# backward on a vector raises.
import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
y.backward()
