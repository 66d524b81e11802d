# torch.tensor of tensors cuts, stack does not.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = torch.tensor([x[0] * 2, x[1] * 3])
b = torch.stack([x[0] * 2, x[1] * 3])
b.sum().backward()
