# thread: https://github.com/mindee/doctr/pull/379
# kind: broken
# ends: RuntimeError at line 11
# says: grad can be implicitly created only for scalar outputs
# finding: `reduction="none"` (line 8) keeps one number for each character, and line 10 sums over the length alone, so
#   `loss` has shape [2] and not one value. Take its mean before backward.
# culprit: 10
# victim: 11
# repair: line 10: loss = (each.sum(1) / lengths).mean()
# repaired: scores.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(19)
scores = torch.randn(2, 5, 4, requires_grad=True)
words, lengths = torch.zeros(2, 3, dtype=torch.long), torch.tensor([3, 2])
padding = torch.arange(3) >= lengths.unsqueeze(1)
each = nn.functional.cross_entropy(scores[:, :3].transpose(1, 2), words, reduction="none")
each[padding] = 0
loss = each.sum(1) / lengths
loss.backward()
