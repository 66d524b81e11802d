# `x[0] += 1` increments the version counter twice.
import torch

x = torch.zeros(3)
x[0] += 1
x[1] = 2

#: run.finished and (run.after("x[0] += 1").version("x"), run.after("x[1] = 2").version("x")) == (2, 3)
