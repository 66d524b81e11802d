# Values of many dtypes.
import torch

a = torch.tensor([0.1, float("nan"), float("inf"), -0.0])
b = a.double()
c = a.to(torch.bfloat16)
d = torch.tensor([1 + 2j, 3 - 1j])
e = torch.tensor([True, False])
f = torch.tensor([2**53 + 1, -(2**62)])
g = a.half()
h = torch.tensor([255, 0], dtype=torch.uint8)
