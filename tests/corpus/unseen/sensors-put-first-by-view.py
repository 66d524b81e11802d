# thread: https://github.com/inmoonlight/notebooks
# kind: silently wrong
# ends: finished
# fact: not torch.equal(by_sensor[0, 0], series[0, :, 0])
# finding: `view` does not exchange dimensions, it only counts the same elements in other rows (line 8), so a row of `by_sensor`
#   mixes sensors and times, and the convolution (line 9) sees them so. Use `transpose(1, 2)`.
# culprit: 8
# victim: 9
# repair: line 8: by_sensor = series.transpose(1, 2)
# repaired: torch.equal(by_sensor[0, 0], series[0, :, 0])

import torch
from torch import nn

torch.manual_seed(512)
series, target = torch.randn(2, 4, 3), torch.randn(2, 5)
conv = nn.Conv1d(3, 5, 2)
opt = torch.optim.SGD(conv.parameters(), lr=0.1)
by_sensor = series.view(2, 3, 4)
out = conv(by_sensor).mean(-1)
loss = nn.functional.mse_loss(out, target)
loss.backward()
opt.step()
