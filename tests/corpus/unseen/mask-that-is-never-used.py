# thread: https://github.com/pytorch/tutorials/issues/2250
# kind: silently wrong
# ends: finished
# fact: bool(torch.isnan(out[0]).all())
# finding: `diagonal=0` (line 6) forbids the diagonal, too, so the first position may look at nothing: its softmax is of minus
#   infinities only, which is NaN (line 9), and so are loss and gradients (line 10). Write `diagonal=1`.
# culprit: 6
# victim: 9
# repair: line 6: mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1)
# repaired: not bool(torch.isnan(q.weight.grad).any())

import torch
from torch import nn

torch.manual_seed(822)
q, k, v = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 6)
mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=0)
x = torch.randn(4, 6)
scores = q(x) @ k(x).T / 6**0.5 + mask
out = scores.softmax(-1) @ v(x)
out.mean().backward()
print(q.weight.grad)
