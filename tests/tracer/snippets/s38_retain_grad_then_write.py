# retain_grad() still applies after the tensor was written in place.
import torch

x = torch.ones(2, requires_grad=True)
h = x * 2
h.retain_grad()
h.mul_(3)
h.sum().backward()
g = h.grad

#: run.finished and run.end.values("h.grad") == [1.0, 1.0] and run.end.values("x.grad") == [6.0, 6.0]
#: run.end.same_tensor("g", "h.grad")
