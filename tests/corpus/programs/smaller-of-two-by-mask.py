# thread: https://github.com/pytorch/pytorch/issues/24853
# kind: ordinary
# ends: finished
# fact: start.grad.tolist() == [0.0, 1.0, 1.0] and cap.grad.tolist() == [1.0, 0.0, 0.0]
# finding: none

import torch

start = torch.zeros(3, requires_grad=True)
cap = torch.full((3,), 0.5, requires_grad=True)
where = torch.tensor([True, False, False])
shifted = start + 1
shifted[where] = torch.min(shifted[where], cap[where])
shifted.sum().backward()
