# One Node, several outputs.
import torch

x = torch.arange(4.0, requires_grad=True)
a, b = x.chunk(2)
c, d, e, f = x.unbind()
(a * b).sum().backward()
