# Tensors without bytes: on the meta device, and in FakeTensorMode.
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

m = torch.ones(2, 3, device="meta")
m.add_(1)
with torch.device("meta"):
    layer = torch.nn.Linear(3, 3)
with FakeTensorMode():
    a = torch.ones(3, 4)
    b = a @ a.t()
    a.add_(1)
    print(b.shape, b.device)
real = layer.to_empty(device="cpu")
real.weight.data.zero_()
print(real.weight.sum().item())
