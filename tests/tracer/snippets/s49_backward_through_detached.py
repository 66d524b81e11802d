# backward through a detached tensor raises.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x.pow(2)
z = y.detach()
w = z * 3
w.backward()
