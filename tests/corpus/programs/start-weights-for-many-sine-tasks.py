# thread: https://www.wonderwice.com/iteryne/concepts/
# kind: ordinary
# ends: finished
# fact: all(p.grad.abs().sum() > 0 for p in net.parameters())
# finding: none

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(109)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
meta_opt = torch.optim.Adam(net.parameters(), lr=1e-2)
inner_lr = 0.1

def sine_task():
    height, shift = torch.rand(1) * 4 + 1, torch.rand(1) * 3
    x = torch.rand(10, 1) * 10 - 5
    return x, height * torch.sin(x + shift)

def adapt(weights, x, y, steps):
    for _ in range(steps):
        loss = nn.functional.mse_loss(functional_call(net, weights, (x,)), y)
        slopes = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
        weights = {name: w - inner_lr * slope for (name, w), slope in zip(weights.items(), slopes)}
    return weights

for round_ in range(2):
    meta_loss = 0
    for _ in range(2):
        x, y = sine_task()
        fast = adapt(dict(net.named_parameters()), x[:5], y[:5], steps=2)
        meta_loss = meta_loss + nn.functional.mse_loss(functional_call(net, fast, (x[5:],)), y[5:])
    meta_opt.zero_grad()
    (meta_loss / 2).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    meta_opt.step()
