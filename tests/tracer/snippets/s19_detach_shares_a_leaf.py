# `detach()` writes a leaf.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
d[0] = 99.0

#: run.finished
#: (run.end.values("x"), run.end.version("x"), run.end.is_leaf("x")) == ([99.0, 2.0], 1, True)
#: run.end.same_storage("x", "d") and run.end.same_counter("x", "d") and run.end.base("d") is None
