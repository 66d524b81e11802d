# `clone` keeps the graph, `detach().clone()` cuts both.
import torch

x = torch.tensor([1.0], requires_grad=True)
c = x.clone()
dc = x.detach().clone()
c *= 3
c.sum().backward()
