import torch
class Careless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        kept = []
        return grad * kept[0]
x = torch.ones(2, device="cuda", requires_grad=True)
y = Careless.apply(x)
try:
    y.sum().backward()
except IndexError as error:
    print(error)
z = Careless.apply(x * 3)
z.sum().backward()

# list index out of range
