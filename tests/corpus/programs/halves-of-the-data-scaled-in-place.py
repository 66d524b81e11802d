# thread: https://github.com/pytorch/pytorch/issues/36403
# kind: ordinary
# ends: finished
# fact: data.tolist() == [[2.0, 10.0], [4.0, 20.0], [6.0, 30.0]] and w.grad.tolist() == [12.0, 60.0]
# finding: none

import torch

data = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
w = torch.ones(2, requires_grad=True)
for half, factor in zip(data.chunk(2, dim=1), (2, 10)):
    half.mul_(factor)
(data * w).sum().backward()
