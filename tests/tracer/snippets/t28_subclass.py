# The snippet defines a subclass of Parameter and a subclass of Tensor.
import torch

class Named(torch.Tensor):
    pass


x = torch.ones(2).as_subclass(Named)
y = x * 2
p = torch.nn.Parameter(torch.ones(2))
