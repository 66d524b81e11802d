# return within no_grad, and an assertion.
import torch

def f(x):
    with torch.no_grad():
        return x * 2
x = torch.ones(1, requires_grad=True)
a = f(x)
b = (lambda t: t * 3)(x)
assert a.grad_fn is None, 'x'
assert b.grad_fn is None, 'boom'
