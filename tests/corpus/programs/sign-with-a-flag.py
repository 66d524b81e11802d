# thread: https://github.com/1zb/pytorch-image-comp-rnn/issues/4
# kind: broken
# ends: RuntimeError at line 19
# says: returned an incorrect number of gradients
# finding: `Sign.forward` takes two arguments besides `ctx` and `backward` (line 14) returns one gradient. Return `None`
#   for `training`.
# culprit: 14
# victim: 19
# repair: line 14: return grad, None
# repaired: code.grad.tolist() == [1.0, 1.0, 1.0]

import torch


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, training):
        if training:
            torch.manual_seed(0)
            x = x + torch.rand_like(x) * 0.1
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


code = torch.tensor([0.3, -0.7, 0.9], requires_grad=True)
bits = Sign.apply(code, True)
bits.sum().backward()
