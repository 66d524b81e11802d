# thread: https://discuss.pytorch.org/t/loss-grad-is-constant-1/130964
# kind: ordinary
# ends: finished
# fact: loss.grad.item() == 1 and torch.allclose(out.grad, 2 * out) and x.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(526)
model = nn.Linear(1, 1)
x = torch.randn(1, 1, requires_grad=True)
out = model(x)
loss = out**2
out.retain_grad()
loss.retain_grad()
print(loss.grad)
loss.backward()
print(loss.grad, out.grad, x.grad)
