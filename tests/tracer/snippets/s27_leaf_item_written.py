# An element of a leaf is written in place.
import torch

w = torch.ones(3, requires_grad=True)
w[0] = 5.0

#: run.raised("RuntimeError", "w[0] = 5.0", VIEW_OF_LEAF)
#: (run.end.version("w"), run.end.values("w"), run.end.is_leaf("w")) == (0, [1.0] * 3, True)
