# torch.func transforms.
import torch

def f(x):
    return (x ** 2).sum()


x = torch.tensor([1.0, 2.0])
g = torch.func.grad(f)(x)
v = torch.func.vmap(lambda r: r * 2)(torch.ones(2, 3))
