# An in-place operator cannot promote the dtype of its tensor.
import torch

x = torch.ones(3, dtype=torch.int64)
x += 0.5

#: run.raised("RuntimeError", "x += 0.5", "result type Float can't be cast to the desired output type Long")
#: (run.end.values("x"), run.end.version("x")) == ([1, 1, 1], 0)
