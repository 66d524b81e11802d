# The output of sigmoid, which sigmoid saves, is scaled in place.
import torch

x = torch.zeros(2, requires_grad=True)
s = torch.sigmoid(x)
s *= 2
s.sum().backward()

#: run.raised("RuntimeError", "s.sum().backward()", inplace("[2]", "Sigmoid", 1, 0))
#: run.after("s *= 2").saved("SigmoidBackward0", "result").outdated == "s *= 2"
