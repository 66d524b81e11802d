# numpy() of a tracked tensor raises.
import torch

x = torch.ones(2, requires_grad=True)
x.numpy()
