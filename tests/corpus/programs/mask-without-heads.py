# thread: https://github.com/hyunwoongko/transformer/issues/32
# kind: broken
# ends: RuntimeError at line 6, called from line 12
# says: The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 1
# finding: `score` has shape [2, 4, 5, 5] and `mask` [2, 5, 5]: aligned at the right, the 4 heads meet the 2 rows of the
#   batch. Give the mask a dimension for the heads: `mask.unsqueeze(1)`.
# culprit: 11
# victim: 6
# repair: line 12: out = attend(q, q, q, mask.unsqueeze(1))
# repaired: list(out.shape) == [2, 4, 5, 8]

import torch


def attend(query, key, value, mask):
    score = query @ key.transpose(2, 3) / 8 ** 0.5
    score = score.masked_fill(mask == 0, -1e9)
    return score.softmax(-1) @ value


q = torch.zeros(2, 4, 5, 8)
mask = torch.ones(2, 5, 5).tril()
out = attend(q, q, q, mask)
