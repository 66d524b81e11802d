# Integers beyond 2**53, denormals, NaN payloads, no elements, no dimensions, 64 dimensions, more elements than bytes.
import torch

a = torch.tensor([2**53 + 1, -(2**63), 2**63 - 1, 2**53])
b = torch.tensor([2**64 - 1, 2**53 + 1], dtype=torch.uint64)
c = torch.tensor([0x7F800001, -1, 1, -(2**31)], dtype=torch.int32).view(torch.float32)
d = torch.tensor([5e-324, -0.0, 1.7976931348623157e308], dtype=torch.float64)
e = torch.empty(3, 0, 2)
f = torch.tensor(7)
g = torch.ones([1] * 64)
h = torch.tensor([1.5, 2.5]).expand(6, 2)
i = torch.arange(5.0).as_strided((3, 4), (1, 0), 2)
j = torch.arange(600.0)[17:23]
k = torch.tensor([complex(0.1, -0.0), complex(float("nan"), float("-inf"))])
m = torch.zeros(3, 4)[:, 1:3].T
m += 1
