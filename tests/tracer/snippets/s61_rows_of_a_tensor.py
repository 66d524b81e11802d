# Iterating over a tensor returns several views of one operator.
import torch

x = torch.ones(2, 3, requires_grad=True).clone()
for row in x:
    row.mul_(2)

#: run.raised("RuntimeError", "row.mul_(2)", "Output 0 of Unbind is a view and is being modified inplace.")
#: run.end.base("row") == run.end.id("x") and run.end.grad_fn("row") == "UnbindBackward0"
#: (run.end.version("x"), run.end.values("x")) == (0, [1.0] * 6)
