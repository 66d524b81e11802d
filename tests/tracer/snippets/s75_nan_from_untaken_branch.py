# NaN from the untaken branch.
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), 0)
y.sum().backward()
