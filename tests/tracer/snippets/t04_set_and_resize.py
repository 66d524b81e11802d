# set_ and resize_.
import torch

x = torch.ones(2)
y = torch.zeros(4)
x.set_(y)
x.resize_(2, 4).fill_(3)
x.resize_(1)
