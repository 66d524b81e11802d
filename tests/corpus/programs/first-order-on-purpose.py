# thread: https://github.com/facebookresearch/higher/issues/128
# kind: ordinary
# ends: finished
# fact: torch.equal(slow.grad, torch.autograd.grad((x[1] @ fast - y[1]).pow(2).mean(), fast)[0])
# finding: none

import torch

torch.manual_seed(45)
slow = torch.randn(3, requires_grad=True)
x, y = torch.rand(2, 6, 3), torch.rand(2, 6)
fast = slow
for _ in range(2):
    inner = (x[0] @ fast - y[0]).pow(2).mean()
    slope = torch.autograd.grad(inner, fast, create_graph=True)[0].detach()
    fast = fast - 0.1 * slope
outer = (x[1] @ fast - y[1]).pow(2).mean()
outer.backward()
