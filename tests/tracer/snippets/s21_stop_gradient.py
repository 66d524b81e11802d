# One factor is detached.
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()

#: run.finished and run.end.values("y") == [9.0] and run.end.values("x.grad") == [3.0]
#: run.end.node("y").edges[1] is None
