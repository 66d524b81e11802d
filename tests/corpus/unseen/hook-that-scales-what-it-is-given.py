# thread: https://github.com/baihuaxie/dl-initial
# kind: silently wrong
# ends: finished
# fact: torch.equal(slow.grad, fast.grad)
# finding: The backward of `+` gives `slow` and `fast` one and the same gradient tensor, and the hook of line 6 writes it in
#   place, so `fast.grad` is a tenth of the right one, too (line 8). Return `grad * 0.1`.
# culprit: 6
# victim: 8
# repair: line 6: slow.register_hook(lambda grad: grad * 0.1)
# repaired: torch.allclose(fast.grad, 2 * (slow + fast).detach()) and torch.allclose(slow.grad, 0.1 * fast.grad)

import torch

torch.manual_seed(515)
slow = torch.randn(3, requires_grad=True)
fast = torch.randn(3, requires_grad=True)
slow.register_hook(lambda grad: grad.mul_(0.1))
loss = (slow + fast).pow(2).sum()
loss.backward()
print(slow.grad, fast.grad)
