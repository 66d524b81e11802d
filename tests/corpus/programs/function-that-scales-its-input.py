# thread: https://github.com/pytorch/pytorch/issues/30454
# kind: broken
# ends: RuntimeError at line 18
# says: is a view and is being modified inplace
# finding: `Scale.forward` (line 7) writes its input and returns it, without `ctx.mark_dirty`; its output then counts as
#   a view that line 18 may not write. Return a new tensor.
# culprit: 7
# victim: 18
# repair: line 7: x = x * 2.0
# repaired: w.grad.tolist() == [24.0, 24.0]

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x *= 2.0
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0


w = torch.ones(2, requires_grad=True)
hidden = w * 3
logits = Scale.apply(hidden)
logits *= 4
logits.sum().backward()
