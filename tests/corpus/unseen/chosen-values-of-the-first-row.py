# thread: https://github.com/pytorch/pytorch/issues/47610
# kind: silently wrong
# ends: finished
# fact: out.shape == (1, 4) and not scores.grad[1:].any()
# finding: `labels.unsqueeze(0)` (line 6) has the shape (1, 4), so `gather` along dimension 1 takes all four values of row 0 (line 7)
#   instead of one of each row; only row 0 gets a gradient. Write `unsqueeze(1)`.
# culprit: 6
# victim: 7
# repair: line 6: index = labels.unsqueeze(1)
# repaired: out.shape == (4, 1) and bool((scores.grad != 0).any(1).all())

import torch

torch.manual_seed(819)
scores = torch.randn(4, 2, requires_grad=True)
labels = torch.randint(0, 2, (4,))
index = labels.unsqueeze(0)
out = scores.log_softmax(1).gather(1, index)
loss = -out.mean()
loss.backward()
print(scores.grad)
