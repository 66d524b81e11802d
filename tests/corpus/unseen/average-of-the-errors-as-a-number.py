# thread: https://hatchjs.com/only-one-element-tensors-can-be-converted-to-python-scalars
# kind: broken
# ends: RuntimeError at line 12
# says: cannot be converted to Scalar
# finding: `reduction="none"` (line 6) leaves one error per sample, so `error` has 5 elements, and `item()` needs exactly one (line 12).
#   Write `error.mean().item()`.
# culprit: 12
# victim: 12
# repair: line 12: total += error.mean().item()
# repaired: isinstance(total, float)

import torch
from torch import nn

torch.manual_seed(814)
model = nn.Linear(3, 1)
criterion = nn.MSELoss(reduction="none")

total = 0.0
for _ in range(2):
    x = torch.randn(5, 3)
    error = criterion(model(x), x.sum(1, keepdim=True))
    total += error.item()
    error.sum().backward()

print(total / 2)
