# thread: https://github.com/pytorch/pytorch/issues/5860
# kind: broken
# ends: RuntimeError at line 9
# says: 3-D
# finding: `words` is a batch, (6, 4, 3), and the states of line 6 are 2-D: for a batch they must be (1, 4, 2) (line 9). Write
#   `torch.zeros(1, 4, 2)`.
# culprit: 6
# victim: 9
# repair: line 6: start = (torch.zeros(1, 4, 2), torch.zeros(1, 4, 2))
# repaired: out.shape == (6, 4, 2)

import torch
import torch.nn as nn

torch.manual_seed(816)
lstm = nn.LSTM(3, 2)
start = (torch.zeros(4, 2), torch.zeros(4, 2))

words = torch.randn(6, 4, 3)
out, last = lstm(words, start)
out.sum().backward()
