# thread: https://github.com/jiecaoyu/XNOR-Net-PyTorch/issues/125
# kind: broken
# ends: NotImplementedError at line 18
# says: You must implement either the backward or vjp method
# finding: `Binary` has no method `backward`: the one of line 11 is called `backwards`, which autograd does not call, so line 18
#   raises. Rename it.
# culprit: 11
# victim: 18
# repair: line 11: def backward(ctx, grad):
# repaired: net.weight.grad.abs().sum().item() > 0

import torch
from torch import nn

class Binary(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backwards(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < 1)

torch.manual_seed(508)
net = nn.Linear(4, 3)
loss = Binary.apply(net(torch.randn(5, 4))).mean()
loss.backward()
