# requires_grad_ and detach_.
import torch

x = torch.ones(2)
x.requires_grad_()
y = x * 2
y.detach_()
