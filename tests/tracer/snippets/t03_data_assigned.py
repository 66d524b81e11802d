# `.data =` moves a tensor to another storage.
import torch

x = torch.ones(2)
y = torch.zeros(3)
x.data = y
y += 1
