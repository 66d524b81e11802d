# thread: https://github.com/mikeizbicki/cmc-csci181-deeplearning/issues/7
# kind: broken
# ends: ValueError at line 15
# says: optimizer got an empty parameter list
# finding: `Names` has no `__init__`: line 6 spells it `_init_`, so no layer is ever made and `parameters()` is empty.
# culprit: 6
# victim: 15
# repair: line 6: def __init__(self):
# repair: line 7: super().__init__()
# repaired: len(opt.param_groups[0]["params"]) == 4

import torch
from torch import nn


class Names(nn.Module):
    def _init_(self):
        super()._init_()
        self.scan, self.judge = nn.Conv1d(26, 8, 3), nn.Linear(8, 5)

    def forward(self, x):
        return self.judge(torch.relu(self.scan(x)).amax(2))


model = Names()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
