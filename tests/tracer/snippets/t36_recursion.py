# A RecursionError is caught and the program continues.
import torch

def f(n, t):
    return t if n == 0 else f(n - 1, t * 2)
x = torch.ones(1, requires_grad=True)
y = f(50, x)
y.backward()
try:
    f(100000, x)
except RecursionError:
    print('deep')
z = x * 3
