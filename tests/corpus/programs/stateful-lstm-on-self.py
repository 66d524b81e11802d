# thread: https://blog.youkuaiyun.com/windhawk_fly/article/details/143405685
# kind: broken
# ends: RuntimeError at line 22
# says: backward through the graph a second time
# finding: The model keeps its LSTM state with its history (line 12), so the second batch leads back into the graph of
#   the first, which the first backward freed. Detach both parts of the state between batches.
# culprit: 12
# victim: 22
# repair: line 12: self.state = tuple(part.detach() for part in state)
# repaired: model.lstm.weight_hh_l0.grad.abs().sum().item() > 0

import torch
from torch import nn

class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(1, 6, batch_first=True), nn.Linear(6, 1)
        self.state = None

    def forward(self, x):
        hidden, state = self.lstm(x, self.state)
        self.state = state
        return self.out(hidden)

torch.manual_seed(8)
model = Forecaster()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
waves = torch.sin(torch.arange(24.0)).view(3, 2, 4, 1)
for batch in waves:
    opt.zero_grad()
    loss = (model(batch) - batch).pow(2).mean()
    loss.backward()
    opt.step()
