# thread: https://github.com/kolyakr/d2l
# kind: silently wrong
# ends: finished
# fact: len(list(net.parameters())) == 2 and torch.equal(first, net[0].modules[0].weight)
# finding: `self.modules` is a plain list (line 7), so the layers in it are not registered, `net.parameters()` (line 17) has only
#   the head's, and the optimizer never changes the first layer although it gets a gradient. Use `nn.ModuleList`, and
#   another name: `modules` is a method of `nn.Module`.
# culprit: 7
# victim: 17
# repair: line 7: self.layers = nn.ModuleList(layers)
# repair: line 10: for layer in self.layers:
# repair: line 16: first = net[0].layers[0].weight.detach().clone()
# repaired: len(list(net.parameters())) == 4 and not torch.equal(first, net[0].layers[0].weight)

import torch
from torch import nn

class Chain(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.modules = list(layers)

    def forward(self, x):
        for layer in self.modules:
            x = layer(x)
        return x

torch.manual_seed(521)
net = nn.Sequential(Chain(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1))
first = net[0].modules[0].weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
