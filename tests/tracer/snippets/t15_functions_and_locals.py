# Tensors are arguments, local variables and return values of a function.
import torch

def scale(t, by):
    r = t * by
    return r


x = torch.ones(2, requires_grad=True)
y = scale(x, 3)
z = scale(y, 2)
z.sum().backward()
