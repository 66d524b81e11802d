# out= writes.
import torch

x = torch.ones(2)
o = torch.zeros(2)
torch.add(x, 1, out=o)
