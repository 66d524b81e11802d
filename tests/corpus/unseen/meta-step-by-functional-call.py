# thread: https://github.com/facebookresearch/higher/issues/60
# kind: ordinary
# ends: finished
# fact: net[0].weight.grad.abs().sum().item() > 0
# finding: none

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(2):
    meta_loss = 0.0
    for phase in torch.rand(3):
        x = torch.linspace(-1, 1, 10)[:, None]
        y = torch.sin(3 * x + phase)
        fast = dict(net.named_parameters())
        for _ in range(2):
            inner = F.mse_loss(functional_call(net, fast, (x[:5],)), y[:5])
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {name: p - 0.1 * g for (name, p), g in zip(fast.items(), grads)}
        meta_loss += F.mse_loss(functional_call(net, fast, (x[5:],)), y[5:]) / 3
    optimizer.zero_grad()
    meta_loss.backward()
    optimizer.step()
    print(meta_loss.item())
