# `.data` hides the write: the gradient is silently wrong.
import torch

x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.data.mul_(100)
y.sum().backward()
