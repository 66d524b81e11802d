# thread: https://github.com/pytorch/pytorch/issues/127760
# kind: silently wrong
# ends: finished
# fact: len(list(net.parameters())) == 6
# fact: not net.mix.any()
# finding: .to(torch.float64) on line 12 makes a new tensor from the Parameter, so net.mix is no Parameter: it is not among
#   net.parameters(), gets no grad and is never trained. Convert the values first and wrap the result:
#   nn.Parameter(torch.zeros(size, dtype=torch.float64)).
# culprit: 12
# victim: 22
# repair: line 12: weight = nn.Parameter(torch.zeros(size, dtype=torch.float64))
# repaired: len(list(net.parameters())) == 7 and net.mix.abs().sum().item() > 0

import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.mix = self.fresh(experts)
        self.experts = nn.ModuleList(nn.Linear(2, 1, dtype=torch.float64) for _ in range(experts))

    def fresh(self, size):
        weight = nn.Parameter(torch.zeros(size)).to(torch.float64)
        return weight

    def forward(self, x):
        shares = self.mix.softmax(0)
        return sum(share * expert(x) for share, expert in zip(shares, self.experts))


torch.manual_seed(0)
net = Mixture(3)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(8, 2, dtype=torch.float64)
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(net.mix)
