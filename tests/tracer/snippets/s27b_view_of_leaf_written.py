# A view of a leaf is written in place.
import torch

w = torch.ones(4, requires_grad=True)
v = w.view(2, 2)
v.mul_(2)

#: run.raised("RuntimeError", "v.mul_(2)", VIEW_OF_LEAF)
#: run.end.base("v") == run.end.id("w") and run.end.same_counter("v", "w")
#: (run.end.version("w"), run.end.values("v"), run.end.is_leaf("w")) == (0, [1.0] * 4, True)
