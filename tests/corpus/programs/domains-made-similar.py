# thread: https://www.codegenes.net/blog/gradient-reversal-layer-pytorch
# kind: ordinary
# ends: finished
# fact: all(p.grad is not None for p in body.parameters())
# finding: none

import math

import torch
from torch import nn
from torch.autograd import Function

class Reverse(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength, None

torch.manual_seed(108)
body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
label_head, domain_head = nn.Linear(8, 3), nn.Linear(8, 2)
opt = torch.optim.SGD(
    [{"params": body.parameters(), "lr": 0.01}, {"params": label_head.parameters()}, {"params": domain_head.parameters()}],
    lr=0.1, momentum=0.9,
)
criterion = nn.CrossEntropyLoss()
source, labels, target = torch.randn(3, 6, 4), torch.randint(0, 3, (3, 6)), torch.randn(3, 6, 4) + 1
for step in range(3):
    strength = 2 / (1 + math.exp(-10 * step / 3)) - 1
    known, other = body(source[step]), body(target[step])
    label_loss = criterion(label_head(known), labels[step])
    domains = domain_head(Reverse.apply(torch.cat([known, other]), strength))
    domain_loss = criterion(domains, torch.cat([torch.zeros(6), torch.ones(6)]).long())
    loss = label_loss + domain_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    accuracy = (label_head(known).argmax(1) == labels[step]).float().mean().item()
