# 8-bit floats, half and complex half, with special values, and views of the same bytes with other dtypes.
import torch

a = torch.tensor([0.1, -448.0, -0.0, float("nan"), float("inf"), 1e-9])
b = a.to(torch.float8_e4m3fn)
c = a.to(torch.float8_e5m2)
d = a.to(torch.float8_e4m3fnuz)
e = a.to(torch.float8_e5m2fnuz)
f = a.abs().to(torch.float8_e8m0fnu)
g = a.half()
h = torch.tensor([65504.0, 6e-8, 0.1]).half()
i = torch.arange(64, dtype=torch.uint8).view(torch.float8_e4m3fn)
j = b.view(torch.uint8)
j[0] = 255
k = b.float()
m = a.view(torch.int32)
m[0] = 0
n = a.to(torch.bfloat16).view(torch.float16)
