# backward on a vector raises.
import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
y.backward()

#: run.raised("RuntimeError", "y.backward()", "grad can be implicitly created only for scalar outputs")
#: run.end.values("y") == [2.0, 2.0] and run.ran("y.backward()") == []
