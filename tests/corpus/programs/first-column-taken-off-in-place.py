# thread: https://github.com/pytorch/pytorch/issues/135487
# kind: silently wrong
# ends: finished
# fact: table.tolist() == [[0.0, 9.0, 8.0], [0.0, 7.0, 6.0]]
# finding: Line 4 writes `table` in place while it reads `table[:, :1]`, a view of the same memory: the first column is 0
#   before the others are done. Subtract a copy: `table[:, :1].clone()`.
# culprit: 4
# victim: 4
# repair: line 4: table -= table[:, :1].clone()
# repaired: table.tolist() == [[0.0, -1.0, -2.0], [0.0, -1.0, -2.0]]

import torch

table = torch.tensor([[10.0, 9.0, 8.0], [8.0, 7.0, 6.0]])
table -= table[:, :1]
spread = table.abs().max(1).values
