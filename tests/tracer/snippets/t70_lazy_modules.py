# The parameters of a lazy module have no shape before the first call.
import torch
from torch import nn

net = nn.Sequential(nn.LazyConv2d(2, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3))
weight = net[3].weight
bias = net[3].bias
lazy = nn.parameter.UninitializedBuffer()
try:
    print(weight.shape)
except RuntimeError as error:
    print(error)
out = net(torch.ones(1, 1, 5, 5))
print(weight is net[3].weight, type(weight).__name__, weight.shape)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out.sum().backward()
optimizer.step()
grad = weight.grad
