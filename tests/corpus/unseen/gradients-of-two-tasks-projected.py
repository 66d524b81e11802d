# thread: https://github.com/tianheyu927/PCGrad/issues/4
# kind: ordinary
# ends: finished
# fact: tasks[0][0][1].abs().sum().item() == 0 and tasks[1][0][0].abs().sum().item() == 0
# finding: none

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)


def gradients(task):
    optimizer.zero_grad()
    net(x)[:, task].pow(2).mean().backward()
    return [p.grad for p in net.parameters()]


for _ in range(2):
    tasks = [gradients(task) for task in range(2)]
    for p, one, other in zip(net.parameters(), *tasks):
        overlap = (one * other).sum()
        if overlap < 0:
            one = one - overlap / other.pow(2).sum() * other
        p.grad = one + other
    optimizer.step()
print(net.weight)
