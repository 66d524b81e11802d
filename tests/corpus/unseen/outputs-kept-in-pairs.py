# thread: https://github.com/pytorch/pytorch/issues/8307
# kind: broken
# ends: TypeError at line 13
# says: expected Tensor as element 0 in argument 0, but got tuple
# finding: Line 10 ends with a comma, so `features` is a tuple of one tensor; `kept` holds tuples, and `cat` needs tensors (line 13).
#   Take the comma away.
# culprit: 10
# victim: 13
# repair: line 10: features = torch.relu(layer(x))
# repaired: together.shape == (10, 3)

import torch
from torch import nn

torch.manual_seed(804)
layer = nn.Linear(4, 3)
kept = []
for size in (2, 3, 5):
    x = torch.rand(size, 4)
    # the features of this batch
    features = torch.relu(layer(x)),
    kept.append(features)

together = torch.cat(kept, dim=0)
together.mean().backward()
