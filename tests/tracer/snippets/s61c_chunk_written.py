# A chunk of a tensor is one of several views of one operator.
import torch

x = torch.ones(4, requires_grad=True).clone()
part = x.chunk(2)[0]
part.mul_(2)

#: run.raised("RuntimeError", "part.mul_(2)", "Output 0 of Split is a view and is being modified inplace.")
#: run.end.base("part") == run.end.id("x") and run.end.grad_fn("part") == "SplitBackward0"
