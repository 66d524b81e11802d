# thread: https://discuss.pytorch.org/t/2nd-order-differential-for-pinn-model/117834
# kind: ordinary
# ends: finished
# fact: u_xx.shape == (12, 1) and net[0].weight.grad is not None and errors[-1] > 0
# finding: none

import math

import torch
from torch import nn
from torch.autograd import grad

torch.manual_seed(112)
net = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
errors = []

def slope(of, by):
    return grad(of, by, grad_outputs=torch.ones_like(of), create_graph=True)[0]

for step in range(3):
    x = torch.rand(12, 1, requires_grad=True)
    t = torch.rand(12, 1).requires_grad_()
    u = net(torch.cat([x, t], dim=1))
    u_t, u_x = slope(u, t), slope(u, x)
    u_xx = slope(u_x, x)
    inside = (u_t - 0.1 * u_xx).pow(2).mean()
    start = torch.linspace(0, 1, 8).view(-1, 1)
    begin = (net(torch.cat([start, torch.zeros_like(start)], 1)) - torch.sin(math.pi * start)).pow(2).mean()
    edges = net(torch.tensor([[0.0, 0.3], [1.0, 0.7]])).pow(2).mean()
    loss = inside + begin + edges
    opt.zero_grad()
    loss.backward()
    opt.step()
    errors.append(loss.detach().numpy().item())
