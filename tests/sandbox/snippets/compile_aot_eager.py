import torch


@torch.compile(backend="aot_eager")
def f(x):
    return (x * 2).sum()


x = torch.ones(2, requires_grad=True)
f(x).backward()
print(x.grad)
