# thread: https://github.com/pytorch/pytorch/issues/56542
# kind: broken
# ends: RuntimeError at line 8
# says: 0D or 1D target tensor expected
# finding: `cross_entropy` wants one class index for each row: targets of shape [6]. `labels` has shape [6, 1] (line 6).
#   Drop its last dimension.
# culprit: 6
# victim: 8
# repair: line 8: loss = nn.functional.cross_entropy(scores, labels.squeeze(1))
# repaired: loss.dim() == 0

import torch
from torch import nn

torch.manual_seed(13)
rows = torch.rand(6, 3)
labels = torch.tensor([[0], [2], [1], [1], [0], [2]])
scores = nn.Linear(3, 3)(rows)
loss = nn.functional.cross_entropy(scores, labels)
loss.backward()
