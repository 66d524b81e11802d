# TorchScript: a traced program contains only its own reads of `shape`, and numbers that became Tensors.
import torch
import warnings

warnings.simplefilter("ignore", DeprecationWarning)


def body(x):
    rows = x.shape[0]
    y = x.relu() + rows
    return y * 2


traced = torch.jit.trace(body, (torch.ones(2, 3),))
print(traced.graph)
x = torch.ones(4, 3, requires_grad=True)
y = traced(x)
y.sum().backward()
print(x.grad)


@torch.jit.script
def scripted(x: torch.Tensor, n: int):
    for i in range(n):
        x = x * 2 + i
    return x


z = scripted(torch.ones(2), 3)
print(torch.jit.trace(lambda x: scripted(x, 2) + 1, (torch.ones(2),)).graph)
