# A dtype cannot be promoted in place.
import torch

x = torch.ones(3, dtype=torch.int64)
x += 0.5
