import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        square = x * x
        square[0] = 100
        print("in backward", square.tolist(), torch.is_grad_enabled())
        return grad * 3 * square
x = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
y = Cube.apply(x)
y.sum().backward()
print(x.grad.tolist(), x._version)
(once,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
print(once.requires_grad, once.grad_fn.name())

# in backward [100.0, 4.0] False
# [300.0, 12.0] 0
# in backward [100.0, 4.0] True
# True MulBackward0
