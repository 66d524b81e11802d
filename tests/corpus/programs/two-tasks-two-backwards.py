# thread: https://discuss.pytorch.org/t/multi-task-learning-whats-the-difference-between-jointly-backward-and-backward-with-retain-graph-true/28162
# kind: ordinary
# ends: finished
# fact: torch.allclose(trunk.weight.grad, joint, atol=1e-6)
# finding: none

import torch
from torch import nn

torch.manual_seed(32)
trunk, depth, label = nn.Linear(4, 5), nn.Linear(5, 1), nn.Linear(5, 3)
opt = torch.optim.SGD([*trunk.parameters(), *depth.parameters(), *label.parameters()], lr=0.1)
x, far, kind = torch.rand(6, 4), torch.rand(6, 1), torch.randint(3, (6,))
shared = trunk(x).tanh()
first = nn.functional.l1_loss(depth(shared), far)
second = nn.functional.cross_entropy(label(shared), kind)
(joint,) = torch.autograd.grad(first + second, trunk.weight, retain_graph=True)
opt.zero_grad()
first.backward(retain_graph=True)
second.backward()
opt.step()
