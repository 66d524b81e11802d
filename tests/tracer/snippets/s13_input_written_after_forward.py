# The input batch is written in place between forward and backward.
import torch

l = torch.nn.Linear(2, 2)
x = torch.ones(1, 2)
y = l(x).sum()
x.mul_(0)
y.backward()

#: message = f"{INPLACE}[torch.FloatTensor [1, 2]] is at version 1; expected version 0 instead."
#: run.raised("RuntimeError", "y.backward()", message)
#: saved = run.after("x.mul_(0)").saved("AddmmBackward0", "mat1")
#: (saved.tensor, saved.version, saved.outdated) == ("x", 0, "x.mul_(0)")
#: run.after("x.mul_(0)").grad_fn("x") is None
