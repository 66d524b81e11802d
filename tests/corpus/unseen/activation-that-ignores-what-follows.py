# thread: https://github.com/pytorch/pytorch/issues/4355
# kind: silently wrong
# ends: finished
# fact: w.grad.max().item() <= 1
# finding: The backward of `ISRLU` does not use `grad_out` (line 13), so the gradient of what follows it is lost, and
#   `w.grad` is wrong (line 18). Multiply by `grad_out`.
# culprit: 13
# victim: 18
# repair: line 13: return grad_out * ctx.slope**3, None
# repaired: w.grad[2].item() > 1 and w.grad[3].item() < 0

import torch
from torch.autograd import Function

class ISRLU(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        below = torch.clamp(x, max=0)
        ctx.slope = torch.rsqrt(1 + alpha * below**2)
        return x * ctx.slope

    @staticmethod
    def backward(ctx, grad_out):
        return ctx.slope**3, None

torch.manual_seed(403)
w = torch.randn(4, requires_grad=True)
loss = (ISRLU.apply(w, 1.0) * torch.tensor([1.0, 10.0, 100.0, -1.0])).sum()
loss.backward()
