# `x * 2` does not save its result, so the result may be written.
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
h += 1
h.sum().backward()

#: run.finished and run.end.values("x.grad") == [2.0] * 3
#: run.after("h += 1").version("h") == 1
#: {save.state for save in run.after("h += 1").saves("MulBackward0")} == {"current"}
