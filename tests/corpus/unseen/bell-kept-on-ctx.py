# thread: https://github.com/pytorch/pytorch/issues/58509
# kind: silently wrong
# ends: finished
# fact: abs(net.weight.grad[0, 0].item() - 0.2135) < 1e-3
# finding: ctx.bell, computed inside forward on line 8, has no graph, so the second backward on line 24 takes it for a constant
#   and leaves out how it depends on x. Compute it from the saved x in backward.
# culprit: 8
# victim: 24
# repair: line 15: return grad * torch.exp(-x * x) * (1 - 2 * x * x)
# repaired: abs(net.weight.grad[0, 0].item() - 0.2431) < 1e-3

import torch
from torch import nn


class Ripple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.bell = torch.exp(-x * x)
        ctx.save_for_backward(x)
        return x * ctx.bell

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * ctx.bell * (1 - 2 * x * x)


torch.manual_seed(0)
net = nn.Linear(3, 4)
points = torch.randn(5, 3, requires_grad=True)
field = Ripple.apply(net(points)).sum()
slope, = torch.autograd.grad(field, points, create_graph=True)
penalty = (slope.norm(dim=1) - 1).pow(2).mean()
penalty.backward()
print(net.weight.grad)
