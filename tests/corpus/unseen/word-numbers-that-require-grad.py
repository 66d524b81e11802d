# thread: https://github.com/pytorch/pytorch/issues/7021
# kind: broken
# ends: RuntimeError at line 6
# says: only Tensors of floating point dtype can require gradients
# finding: `sentence` holds indices (int64), which cannot require grad (line 6). The embedding's weight gets its gradient
#   without it: leave out `requires_grad_()`.
# culprit: 6
# victim: 6
# repair: line 6: sentence = torch.tensor([4, 1, 7])
# repaired: words.weight.grad.abs().sum(1).nonzero().flatten().tolist() == [1, 4, 7]

import torch
from torch import nn

torch.manual_seed(502)
words, score = nn.Embedding(10, 3), nn.Linear(3, 1)
sentence = torch.tensor([4, 1, 7]).requires_grad_()
out = score(words(sentence)).sum()
out.backward()
