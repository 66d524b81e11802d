# thread: https://github.com/pytorch/pytorch/issues/11734
# kind: silently wrong
# ends: finished
# fact: row is None and chosen.shape == (1, 5) and table.grad.count_nonzero().item() == 5
# finding: No index is 7, so `row` is still None, and `table[None]` (line 9) is no element but the whole table with one more
#   dimension: the loss is of all five, and so is the gradient (line 11).
# culprit: 9
# victim: 11
# repair: longer: say what happens when nothing was found, for instance raise, before the table is indexed

import torch

torch.manual_seed(519)
table = torch.randn(5, requires_grad=True)
wanted, row = 7, None
for index in range(len(table)):
    if index == wanted:
        row = index
chosen = table[row]
loss = (chosen - 1.0).pow(2).sum()
loss.backward()
