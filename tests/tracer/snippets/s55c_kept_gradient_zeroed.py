# `grad.zero_()` also changes a variable that refers to the gradient.
import torch

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
x.grad.zero_()

#: run.finished and run.end.values("g") == [0.0, 0.0] and run.end.same_tensor("g", "x.grad")
