# thread: https://discuss.pytorch.org/t/differentiating-a-complex-valued-function/165209
# kind: broken
# ends: RuntimeError at line 9
# says: grad can be implicitly created only for real scalar outputs
# finding: The square of a complex number is complex, so `loss` (line 8) is complex64 and `backward()` (line 9) has no direction
#   in which it gets smaller. Square the absolute value: `.abs().pow(2).mean()`.
# culprit: 8
# victim: 9
# repair: line 8: loss = (out - 1j * signal).abs().pow(2).mean()
# repaired: loss.dtype == torch.float32 and net.weight.grad.abs().sum().item() > 0

import torch
from torch import nn

torch.manual_seed(510)
net = nn.Linear(2, 2)
signal = torch.randn(6, 2, dtype=torch.complex64)
out = torch.complex(net(signal.real), net(signal.imag))
loss = (out - 1j * signal).pow(2).mean()
loss.backward()
print(net.weight.grad)
