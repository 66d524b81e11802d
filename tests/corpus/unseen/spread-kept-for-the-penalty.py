# thread: https://github.com/KindXiaoming/pykan/issues/443
# kind: broken
# ends: RuntimeError at line 26
# says: support the deepcopy protocol
# fact: net.spread.grad_fn is not None
# finding: AveragedModel on line 26 deep-copies net, and net.spread, kept on line 14, is not a leaf: it has a grad_fn, which
#   deepcopy refuses. Drop it (or keep a detached copy) before the module is copied.
# culprit: 14
# victim: 26
# repair: before 26: net.spread = None
# repaired: averaged.n_averaged.item() == 1

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


class Edges(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
        self.outer = nn.Linear(4, 1)

    def forward(self, x):
        y = torch.tanh(self.inner(x))
        self.spread = y.std(0)
        return self.outer(y)


torch.manual_seed(0)
net, x = Edges(), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(x).pow(2).mean() + 0.1 * net.spread.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
averaged = AveragedModel(net)
averaged.update_parameters(net)
print(averaged.n_averaged)
