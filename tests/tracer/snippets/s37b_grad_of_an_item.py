# Every indexing makes a new tensor: x[0] is not x[0].
import torch

x = torch.ones(3, requires_grad=True)
a, b = x[0], x[0]
(a * 2).backward()
print(a is b, a.grad)
