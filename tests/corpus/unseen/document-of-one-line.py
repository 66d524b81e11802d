# thread: https://github.com/Huffon/factsumm/issues/28
# kind: broken
# ends: RuntimeError at line 10, called from line 16
# says: batch1 must be a 3D tensor
# finding: For a document of one line `squeeze()` (line 9) removes the first dimension, too, so `queries` is 2-D and `bmm` needs three
#   dimensions (line 10). Say which dimension goes: `squeeze(1)`.
# culprit: 9
# victim: 10
# repair: line 9: queries = project(lines).squeeze(1)
# repaired: [each.shape[0] for each in scores] == [3, 1]

import torch
from torch import nn

torch.manual_seed(808)
project = nn.Linear(6, 6)


def attend(lines, summary):
    queries = project(lines).squeeze()
    return torch.bmm(queries, summary.expand(len(lines), 6, 4))


summary = torch.randn(1, 6, 4)
scores = []
for count in (3, 1):
    scores.append(attend(torch.randn(count, 1, 2, 6), summary))

sum(each.sum() for each in scores).backward()
