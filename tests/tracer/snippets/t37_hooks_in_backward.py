# Hooks print during backward.
import torch

x = torch.ones(2, requires_grad=True)
log = []
def hook(g):
    print('hook', g)
    log.append(g)
    return g * 2
h = x * 3
h.register_hook(hook)
x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(10))
h.sum().backward()
g = log[0]
