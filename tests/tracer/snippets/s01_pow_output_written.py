# The output of pow is written: nothing saved is hit.
import torch

x = torch.tensor([3.0], requires_grad=True)
y = x ** 2
y.add_(1)
y.sum().backward()
