# thread: https://github.com/pytorch/pytorch/issues/36470
# kind: broken
# ends: RuntimeError at line 25
# says: modified by an inplace operation
# fact: net.stay.weight.grad is None
# finding: stay on line 16 saves states[t], a view of states, and every later write to a row of states (lines 16 and 17) changes
#   the version that all its views share, so line 25 fails. Keep the rows in a list and stack them, or read a clone:
#   self.stay(states[t].clone()).
# culprit: 16
# victim: 25
# repair: line 16: states[t + 1] = self.stay(states[t].clone())
# repaired: abs(net.stay.weight.grad[2, 0].item() - 0.0314) < 1e-3

import torch
from torch import nn


class Reservoir(nn.Module):
    def __init__(self, inputs, size):
        super().__init__()
        self.enter = nn.Linear(inputs, size)
        self.stay = nn.Linear(size, size, bias=False)
        self.leave = nn.Linear(size, 1)

    def forward(self, series):
        drive = self.enter(series)
        states = torch.zeros(len(series) + 1, self.stay.in_features)
        for t in range(len(series)):
            states[t + 1] = self.stay(states[t])
            states[t + 1] = torch.tanh(states[t + 1] + drive[t])
        return self.leave(states[1:]).squeeze(1)


torch.manual_seed(0)
net = Reservoir(2, 3)
series = torch.randn(5, 2)
loss = (net(series) - series.sum(1)).abs().mean()
loss.backward()
print(net.stay.weight.grad)
