# thread: https://github.com/pytorch/pytorch/pull/40884
# kind: broken
# ends: RuntimeError at line 6
# says: output of a function that returns multiple views
# finding: A loop over a tensor gives views made by `unbind`, and several views made by one function cannot be written
#   in place (line 6). Compute new rows.
# culprit: 6
# victim: 6
# repair: line 5: scores = scores - scores.mean(1, keepdim=True)
# repair: without 6
# repaired: points.grad.abs().max().item() < 1e-6 and scores.sum(1).abs().max().item() < 1e-6

import torch

points = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], requires_grad=True)
scores = points * 2
for row in scores:
    row -= row.mean()
scores.sum().backward()
