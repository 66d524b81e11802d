# thread: https://github.com/open-mmlab/mmengine/pull/266
# kind: silently wrong
# ends: finished
# fact: torch.equal(net.weight, averaged.shadow.weight)
# finding: live on line 15 shares the memory of net's parameters, so line 16 overwrites it, too, and line 17 copies the averaged
#   weights onto themselves: the trained weights are lost. Copy the state before it is overwritten.
# culprit: 16
# victim: 17
# repair: line 15: live = copy.deepcopy(self.net.state_dict())
# repaired: not torch.equal(net.weight, averaged.shadow.weight)

import copy
import torch
from torch import nn


class Averaged:
    def __init__(self, net):
        self.net, self.shadow = net, copy.deepcopy(net)

    def update(self):
        for slow, fast in zip(self.shadow.parameters(), self.net.parameters()):
            slow.data.lerp_(fast.data, 0.25)

    def swap(self):
        live = self.net.state_dict()
        self.net.load_state_dict(self.shadow.state_dict())
        self.shadow.load_state_dict(live)


torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(6, 3)
averaged, optimizer = Averaged(net), torch.optim.SGD(net.parameters(), lr=0.2)
for epoch in range(3):
    optimizer.zero_grad()
    net(x).pow(2).mean().backward()
    optimizer.step()
    averaged.update()
    averaged.swap()
    print(epoch, net(x).pow(2).mean().item())
    averaged.swap()
