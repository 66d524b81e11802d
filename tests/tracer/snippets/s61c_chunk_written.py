# A chunk of a tensor is one of many views.
import torch

x = torch.ones(4, requires_grad=True).clone()
part = x.chunk(2)[0]
part.mul_(2)
