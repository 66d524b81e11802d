# Buffers of modules: not persistent, shared, replaced, registered late, deleted, turned into an attribute and back.
import torch
from torch import nn

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        table = torch.arange(6.0).view(2, 3)
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("missing", None)
        self.register_buffer("mean", torch.zeros(3))
        self.plain = torch.ones(3)

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x + self.table

net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3, affine=False), Table())
first = net[2].mean
x = torch.ones(2, 3)
y = net(x)
z = net(y)
net[1].running_var = torch.full((3,), 2.0)
net[0].register_buffer("late", net[2].table)
net[0].register_buffer("mask", torch.ones(3, dtype=torch.bool))
net[2].register_buffer("mean_too", net[2].mean)
net[2].missing = torch.zeros(1)
with torch.no_grad():
    net[1].running_mean.add_(1)
del net[0].mask
net[0].mask = torch.ones(3)
kept = net[2].mean
del net[2].mean
net[2].mean = kept
del net[2].mean
net[2].register_buffer("mean", kept)
twice = nn.ModuleDict({"a": net[1], "b-c": nn.ModuleList([net, net[2]])})
twice.hidden = [nn.BatchNorm1d(2)]
weight = net[0].weight
del net[0].weight
net[0].register_buffer("weight", weight.detach().clone())
net[0].bias = None
net[2].plain = nn.Parameter(torch.ones(3))
holder = {"net": net, "list": [nn.BatchNorm1d(1)]}
holder["list"].append(nn.BatchNorm1d(1))
net.double()
del net
