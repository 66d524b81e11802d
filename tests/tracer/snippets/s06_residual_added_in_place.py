# A residual is added in place to the output of ReLU.
import torch

f = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
x = torch.randn(2, 3)
h = f(x)
h += x
h.sum().backward()

#: run.raised("RuntimeError", "h.sum().backward()", inplace("[2, 3]", "Relu", 1, 0))
#: saved = run.after("h += x").saved("ReluBackward0", "result")
#: (saved.tensor, saved.outdated) == ("h", "h += x")
