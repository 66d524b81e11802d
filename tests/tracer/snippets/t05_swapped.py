# After swap_tensors, a variable refers to a tensor with a smaller version.
import torch

x = torch.ones(2)
y = torch.zeros(2)
x.add_(1)
torch.utils.swap_tensors(x, y)
