# thread: https://github.com/nmhkahn/torchsummaryX/issues/16
# kind: broken
# ends: TypeError at line 18
# says: missing 1 required positional argument
# finding: `Decoder.forward` takes `x` and `scale` (line 10), and `nn.Sequential` (line 15) hands on one value only, so `scale` is
#   missing (line 18). Call the two modules one after the other, with the scale.
# culprit: 15
# victim: 18
# repair: line 18: y = model[1](model[0](torch.randn(4, 6)), 2.0)
# repaired: y.shape == (4, 3)

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, 3)

    def forward(self, x, scale):
        return self.out(torch.relu(x)) * scale


torch.manual_seed(815)
model = nn.Sequential(nn.Linear(6, 5), Decoder(5))


y = model(torch.randn(4, 6))
y.mean().backward()
