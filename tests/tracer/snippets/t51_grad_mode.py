# Grad mode is changed by a decorator and by a function.
import torch

x = torch.ones(2, requires_grad=True)
@torch.no_grad()
def f(t):
    u = t * 2
    return u
y = f(x)
torch.set_grad_enabled(False)
z = x * 2
torch.set_grad_enabled(True)
w = x * 2
