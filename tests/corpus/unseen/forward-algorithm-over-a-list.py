# thread: https://github.com/pytorch/pytorch/issues/31819
# kind: ordinary
# ends: finished
# fact: net.moves.grad.isfinite().all().item() and net.moves.grad.abs().sum().item() > 0
# finding: none

import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.moves = nn.Parameter(torch.randn(states, states))
        self.shows = nn.Parameter(torch.randn(states, symbols))

    def forward(self, series):
        moves, shows = self.moves.log_softmax(1), self.shows.log_softmax(1)
        rows = [shows[:, series[0]] - torch.tensor(float(len(moves))).log()]
        for symbol in series[1:]:
            rows.append((rows[-1][:, None] + moves).logsumexp(0) + shows[:, symbol])
        table = torch.stack(rows)
        return table[-1].logsumexp(0), table.detach()


torch.manual_seed(0)
net, series = Chain(3, 4), torch.tensor([0, 2, 1, 3, 3, 0])
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for _ in range(2):
    likelihood, table = net(series)
    optimizer.zero_grad()
    (-likelihood).backward()
    optimizer.step()
    table[table < table.max() - 5] = float("-inf")
print(likelihood.item(), table.argmax(1))
