# After a write to the base, torch replaces the view's grad_fn when it is read.
import torch

x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
b.mul_(3)
v.mul_(2)
b.sum().backward()

#: run.finished and run.end.values("x.grad") == [6.0, 6.0, 3.0, 3.0]
#: made, base_written, view_written = run.after("v = b[:2]"), run.after("b.mul_(3)"), run.after("v.mul_(2)")
#: (made.grad_fn("v"), made.base("v")) == ("SliceBackward0", made.id("b"))
#: (base_written.values("v"), base_written.grad_fn("v")) == ([3.0, 3.0], "AsStridedBackward0")
#: (view_written.grad_fn("b"), view_written.values("b")) == ("CopySlices", [6.0, 6.0, 3.0, 3.0])
#: view_written.version("b") == view_written.version("v") == 2
#: view_written.node("v").edges[0].node == view_written.node("b").id
