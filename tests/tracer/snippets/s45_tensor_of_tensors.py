# torch.tensor([x, y]) has no graph, torch.stack([x, y]) has one.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = torch.tensor([x[0] * 2, x[1] * 3])
b = torch.stack([x[0] * 2, x[1] * 3])
b.sum().backward()

#: run.finished and run.warned("Converting a tensor with requires_grad=True to a scalar")
#: not run.end.requires_grad("a") and run.end.grad_fn("a") is None
#: run.end.backward_nodes("b")[0] == "StackBackward0" and "AccumulateGrad" in run.end.backward_nodes("b")
#: run.end.values("x.grad") == [2.0, 3.0]
