# Tensors without bytes.
import torch

x = torch.ones(3, device='meta')
y = x * 2
print(y.device)
e = torch.empty(0)
f = e.view(0, 3)
s = torch.tensor(5)
