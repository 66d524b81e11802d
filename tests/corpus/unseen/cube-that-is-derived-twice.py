# thread: https://gist.github.com/arthurmensch/b02c45f3440c9d3de0ef2c0ae5ea1107
# kind: ordinary
# ends: finished
# fact: right and torch.allclose(x.grad, 6 * x.detach() + 3 * x.detach() ** 2)
# finding: none

import torch
from torch.autograd import Function, gradcheck, gradgradcheck

class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(x, grad)

class CubeBackward(Function):
    @staticmethod
    def forward(ctx, x, grad):
        ctx.save_for_backward(x, grad)
        return grad * 3 * x**2

    @staticmethod
    def backward(ctx, grad_of_grad):
        x, grad = ctx.saved_tensors
        return grad_of_grad * 6 * x * grad, grad_of_grad * 3 * x**2

torch.manual_seed(209)
probe = torch.randn(3, dtype=torch.double, requires_grad=True)
right = gradcheck(Cube.apply, probe) and gradgradcheck(Cube.apply, probe)
x = torch.randn(4, dtype=torch.double, requires_grad=True)
y = Cube.apply(x)
(slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(slope.sum() + y.sum()).backward()
