# Parameter wraps without copying.
import torch

t = torch.ones(2)
p = torch.nn.Parameter(t)
t[0] = 9
