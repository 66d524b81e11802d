# Modules that get and lose parameters, buffers and children.
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
net[0].weight = nn.Parameter(torch.ones(2, 2))
net[0].bias = None
net[0].register_parameter("bias", nn.Parameter(torch.ones(2)))
net.append(nn.Linear(1, 1))
net[1] = nn.Linear(2, 2)
del net[3]
net[0].cache = [torch.ones(1)]
net[0].cache.append(torch.ones(2))
net[0].register_buffer("m", torch.ones(1))
net[0].m = torch.zeros(1)
del net[0].m
net.extra = {"k": torch.ones(1)}
net.extra["k"] = torch.ones(2)
ml = nn.ModuleList([nn.Linear(1, 1) for _ in range(2)])
ml[0], ml[1] = ml[1], ml[0]
ml.pop(0)
pl = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2))])
pl[0] = nn.Parameter(torch.zeros(1))
pl.append(nn.Parameter(torch.zeros(1)))
pd = nn.ParameterDict({"a": nn.Parameter(torch.ones(1))})
pd["a"] = nn.Parameter(torch.zeros(1))
pd.pop("a")
net.to(torch.float64)
net.requires_grad_(False)
net.load_state_dict({k: v * 2 for k, v in net.state_dict().items()})
sd = net.state_dict()
sd["0.weight"] = torch.ones(1)
lin = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
y = lin(torch.ones(1, 2))
nn.utils.parametrize.remove_parametrizations(lin, "weight")
opt = torch.optim.SGD(lin.parameters(), lr=0.1, momentum=0.9)
lin(torch.ones(1, 2)).sum().backward()
opt.step()
opt.zero_grad()
lin._parameters["weight"] = nn.Parameter(torch.zeros(2, 2))
lin.__dict__["_parameters"] = {"weight": nn.Parameter(torch.ones(1))}
lin._parameters.clear()
lin.x = torch.ones(2)
