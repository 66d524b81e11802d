# Names come and go.
import torch

x = torch.ones(2)
y = x
del x
x = y + 1
y = 3
