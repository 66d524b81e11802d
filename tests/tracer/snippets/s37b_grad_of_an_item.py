# Each indexing creates a new tensor object: `x[0] is not x[0]`.
import torch

x = torch.ones(3, requires_grad=True)
a, b = x[0], x[0]
(a * 2).backward()
print(a is b, a.grad)

#: run.finished and run.end.values("x.grad") == [2.0, 0.0, 0.0]
#: not run.end.same_tensor("a", "b") and not run.end.has_grad("a")
#: run.end.base("a") == run.end.base("b") == run.end.id("x") and run.end.grad_fn("a") == "SelectBackward0"
