# A Parameter subclass and a Tensor subclass.
import torch

class Named(torch.Tensor):
    pass


x = torch.ones(2).as_subclass(Named)
y = x * 2
p = torch.nn.Parameter(torch.ones(2))
