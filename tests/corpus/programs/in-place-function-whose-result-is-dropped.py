# thread: https://github.com/pytorch/pytorch/issues/5871
# kind: silently wrong
# ends: finished
# fact: b.grad is None and total.item() == 5.0
# finding: `AddInto` writes its input (line 7) without `ctx.mark_dirty(a)`, and line 18 drops its result: `total` has the
#   value with `b`, but autograd knows nothing of `b`, whose gradient is None. Use the result.
# culprit: 18
# victim: 20
# repair: line 18: padded = AddInto.apply(padded, b)
# repaired: b.grad.tolist() == [1.0]

import torch


class AddInto(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a[1:2] += b
        return a

    @staticmethod
    def backward(ctx, grad):
        return grad, grad[1:2].clone()


a = torch.ones(2, requires_grad=True)
b = torch.ones(1, requires_grad=True)
padded = a + 1
AddInto.apply(padded, b)
total = padded.sum()
total.backward()
