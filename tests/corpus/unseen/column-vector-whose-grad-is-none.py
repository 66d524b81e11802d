# thread: https://github.com/pytorch/pytorch/issues/1479
# kind: silently wrong
# ends: finished
# fact: b.grad is None and not b.is_leaf
# finding: `b` is the result of `view` (line 4), so it is not a leaf; the gradient goes to the tensor without a name,
#   and `b.grad` is None (line 8). Call `view` first and `requires_grad_()` after it.
# culprit: 4
# victim: 8
# repair: line 4: b = torch.tensor([4.0, 5.0, 6.0]).view(3, 1).requires_grad_()
# repaired: torch.equal(b.grad, a.t())

import torch

a = torch.tensor([1.0, 2.0, 3.0]).view(1, 3)
b = torch.tensor([4.0, 5.0, 6.0], requires_grad=True).view(3, 1)
c = a.mm(b).sum()
c.backward()
print(a.requires_grad, b.requires_grad)
print(b.grad)
