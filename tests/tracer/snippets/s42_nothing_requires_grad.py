# Nothing requires a gradient.
import torch

x = torch.tensor([1.0])
(x * 2).sum().backward()

#: run.raised("RuntimeError", "(x * 2).sum().backward()", NOGRAD)
#: not run.end.requires_grad("x") and not run.trace.nodes
