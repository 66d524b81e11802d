# thread: https://github.com/pytorch/pytorch/issues/124725
# kind: silently wrong
# ends: finished
# fact: net.first.weight.grad is None and net.second.weight.grad is None
# fact: net.head.weight.grad.abs().sum().item() > 0
# finding: checkpoint with use_reentrant=True (line 19) runs the block under no_grad and gives back a graph only for tensors it
#   finds at the top of the result, not inside a dict. So first and second get no gradient and are never trained;
#   use_reentrant=False tracks them.
# culprit: 19
# victim: 28
# repair: line 19: return self.head(checkpoint(self.block, x, use_reentrant=False)["hidden"])
# repaired: net.first.weight.grad.abs().sum().item() > 0

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 6), nn.Linear(6, 4)
        self.head = nn.Linear(4, 2)

    def block(self, x):
        inner = F.gelu(self.first(x))
        return {"hidden": x + self.second(inner), "inner": inner}

    def forward(self, x):
        x.requires_grad_()
        return self.head(checkpoint(self.block, x, use_reentrant=True)["hidden"])


torch.manual_seed(0)
net = Encoder()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = F.cross_entropy(net(torch.randn(5, 4)), torch.tensor([0, 1, 0, 1, 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(net.first.weight.grad, net.head.weight.grad.shape)
