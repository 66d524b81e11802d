# A view cannot be detached in place.
import torch

x = torch.ones(4, requires_grad=True)
b = x * 1
v = b[:2]
v.detach_()

#: run.raised("RuntimeError", "v.detach_()", "Can't detach views in-place. Use detach() instead.")
#: run.end.base("v") == run.end.id("b") and run.end.grad_fn("v") == "SliceBackward0"
