# Sizes, strides and offsets that a JSON reader cannot represent are not recorded, and the run continues.
import torch

x = torch.ones(1, requires_grad=True)
y = x.expand(2**60)
m = torch.empty(2**58, device="meta")
v = m[2**57 :]
m.add_(1)
none = torch.empty(0, 2**60)
k = torch.empty(2**58, device="meta", requires_grad=True)
(k * 2).sum().backward()
z = y.as_strided((2,), (0,)) * 3
print(y.shape, v.storage_offset(), k.grad.shape, z)
