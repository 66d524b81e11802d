import torch


@torch.jit.script
def f(x):
    return x * 2


print(f(torch.ones(2)))
