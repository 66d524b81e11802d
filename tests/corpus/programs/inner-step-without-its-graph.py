# thread: https://github.com/dragen1860/MAML-Pytorch/issues/63
# kind: silently wrong
# ends: finished
# fact: round(slow.grad.item(), 4) == -2.4
# finding: The inner gradient (line 6) is taken without `create_graph=True`, so it counts as a constant, and the outer
#   gradient of `slow` lacks what flows through it: -2.4 instead of -1.92.
# culprit: 6
# victim: 9
# repair: line 6: (slope,) = torch.autograd.grad(inner, slow, create_graph=True)
# repaired: round(slow.grad.item(), 4) == -1.92

import torch

rate, train, test = 0.1, 2.0, 1.6
slow = torch.tensor(0.0, requires_grad=True)
inner = (slow - train) ** 2
(slope,) = torch.autograd.grad(inner, slow)
fast = slow - rate * slope
outer = (fast - test) ** 2
outer.backward()
