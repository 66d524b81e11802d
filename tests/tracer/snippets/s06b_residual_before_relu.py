# Adding a residual in place before ReLU causes no error.
import torch

lin = torch.nn.Linear(3, 3)
x = torch.randn(2, 3)
h = lin(x)
h += x
y = torch.relu(h)
y.sum().backward()
g = lin.weight.grad

#: run.finished and run.end.has_grad("lin.weight")
#: run.after("h += x").version("h") == 1
#: {save.state for save in run.after("h += x").saves("AddmmBackward0")} == {"current"}
