# One factor is detached.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()
