# Several statements share a line, separated by semicolons.
import torch

x = torch.ones(2); y = x * 2; x.add_(1)
z = x; z = z + 1; print(z)
