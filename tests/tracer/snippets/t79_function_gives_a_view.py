# A view that a custom Function's forward creates is a leaf inside forward, but not after it is returned.
import torch


class Pick(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, index):
        picked = a.select(0, index)
        ctx.index = index
        ctx.save_for_backward(a)
        return picked

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        whole = torch.zeros_like(a)
        whole.select(0, ctx.index).copy_(grad)
        return whole, None


a = torch.ones(2, requires_grad=True)
out = Pick.apply(a.clone(), 1)
leaf = out.is_leaf
out.sum().backward()
again = Pick.apply(a.clone(), 0)
try:
    again += 1
except RuntimeError as error:
    print(str(error)[:60])
