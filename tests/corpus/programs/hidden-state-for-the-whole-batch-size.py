# thread: https://github.com/miyamotok0105/pytorch_handbook/issues/11
# kind: broken
# ends: RuntimeError at line 13, called from line 19
# says: Expected hidden[0] size (1, 2, 5), got [1, 4, 5]
# finding: The last batch has 2 rows and not 4, but the initial state (line 12) is made for 4: its dimension 1 is the
#   batch size and must be that of `x`. Take it from `x`.
# culprit: 12
# victim: 13
# repair: line 12: start = torch.zeros(1, x.size(0), 5)
# repaired: list(answer.shape) == [2, 1]

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size
        self.memory, self.judge = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 1)

    def forward(self, x):
        start = torch.zeros(1, self.batch_size, 5)
        _, (last, _) = self.memory(x, (start, start))
        return self.judge(last[0])


reader = Reader(4)
for chunk in torch.zeros(10, 7, 3).split(4):
    answer = reader(chunk)
