# thread: https://github.com/agrimgupta92/sgan/issues/22
# kind: broken
# ends: RuntimeError at line 7
# says: view size is not compatible
# finding: `by_time` is a permuted view of `tracks` (line 6) and not contiguous, so `view` on line 7 cannot merge its
#   first two dimensions without a copy. Use `reshape`.
# culprit: 6
# victim: 7
# repair: line 7: flat = by_time.reshape(-1, 2)
# repaired: list(features.shape) == [40, 16]

import torch
from torch import nn

embed = nn.Linear(2, 16)
tracks = torch.zeros(5, 2, 8)
by_time = tracks.permute(2, 0, 1)
flat = by_time.view(-1, 2)
features = embed(flat)
