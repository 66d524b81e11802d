# A later backward adds in place to a gradient that a variable refers to.
import torch

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 3).sum().backward()
x.grad = None
(x * 3).sum().backward()
x.grad.zero_()

#: kept, again = run.after("g = x.grad"), run.after("(x * 3)", 0)
#: run.finished and kept.same_tensor("g", "x.grad") and kept.values("g") == [2.0, 2.0]
#: again.same_tensor("g", "x.grad") and again.values("g") == [5.0, 5.0] and again.version("g") == 1
#: not run.after("x.grad = None").has_grad("x") and run.after("x.grad = None").values("g") == [5.0, 5.0]
#: new = run.after("(x * 3)", 1)
#: not new.same_tensor("g", "x.grad") and new.values("x.grad") == [3.0, 3.0] and new.values("g") == [5.0, 5.0]
