# swap_tensors decreases the version of a name's tensor.
import torch

x = torch.ones(2)
y = torch.zeros(2)
x.add_(1)
torch.utils.swap_tensors(x, y)
