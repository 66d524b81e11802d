import torch
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = (a * b).sin() * b
c.sum().backward()
