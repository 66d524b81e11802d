# A leaf is written in place.
import torch

w = torch.ones(3, requires_grad=True)
w += 1

#: run.raised("RuntimeError", "w += 1", LEAF)
#: (run.end.version("w"), run.end.values("w"), run.writes("w += 1")) == (0, [1.0] * 3, [])
