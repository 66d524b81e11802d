# thread: https://pytorch.org/docs/0.3.1/_sources/optim.rst.txt
# kind: silently wrong
# ends: finished
# fact: len(set(losses)) == 1 and not codes.is_leaf
# finding: `opt` holds the float32 leaf of line 6; line 8 gives the name `codes` to a float64 copy computed from it once, so
#   `step()` (line 14) changes the leaf, and the loss goes on with the copy and never changes. Convert before the optimizer.
# culprit: 8
# victim: 14
# repair: line 6: codes = torch.zeros(4, 2, dtype=torch.double, requires_grad=True)
# repair: without 8
# repaired: losses[-1] < losses[0] and codes.is_leaf

import torch

torch.manual_seed(516)
target = torch.rand(4, 3, dtype=torch.double)
basis = torch.rand(2, 3, dtype=torch.double)
codes = torch.zeros(4, 2, requires_grad=True)
opt = torch.optim.Adam([codes], lr=0.1)
codes = codes.double()
losses = []
for _ in range(5):
    opt.zero_grad()
    loss = (codes @ basis - target).pow(2).mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(losses)
