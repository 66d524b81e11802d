# thread: https://github.com/gangweix/Stoch-predict-with-Tranformer-LSTM/issues/3
# kind: broken
# ends: RuntimeError at line 16, called from line 23
# says: must match the size of tensor b (50) at non-singleton dimension 0
# fact: prices.weight.grad is None
# finding: x on line 16 is (64, 10, 8), batch first, but table is (50, 1, 8), sequence first: cut to the batch size, at most 50,
#   its first dimension meets 64. Take the positions of the sequence: self.table[:x.size(1), 0].
# culprit: 16
# victim: 16
# repair: line 16: return x + self.table[:x.size(1), 0]
# repaired: list(out.shape) == [64, 10, 1]

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, size, longest=50):
        super().__init__()
        place = torch.arange(longest)[:, None]
        rate = 10000 ** (torch.arange(0, size, 2) / size)
        table = torch.zeros(longest, 1, size)
        table[:, 0, 0::2] = torch.sin(place / rate)
        table[:, 0, 1::2] = torch.cos(place / rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[:x.size(0), :]


torch.manual_seed(0)
encoder = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
prices = nn.Linear(1, 8)
model = nn.Sequential(prices, Positions(8), encoder, nn.Linear(8, 1))
out = model(torch.randn(64, 10, 1))
out.mean().backward()
print(prices.weight.grad.shape)
