# By index it works.
import torch

x = torch.ones(2, 3, requires_grad=True).clone()
for i in range(2):
    x[i].mul_(2)
x.sum().backward()

#: run.finished and run.end.values("x") == [2.0] * 6 and run.end.version("x") == 2
