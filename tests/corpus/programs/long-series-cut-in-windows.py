# thread: https://lightning.ai/docs/pytorch/stable/_sources/common/tbptt.rst.txt
# kind: ordinary
# ends: finished
# fact: hidden.grad_fn is None and rnn.weight_hh_l0.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(34)
rnn, read = nn.RNN(1, 4, batch_first=True), nn.Linear(4, 1)
opt = torch.optim.SGD([*rnn.parameters(), *read.parameters()], lr=0.05)
series = torch.sin(torch.arange(30.0)).view(1, 30, 1)
hidden = torch.zeros(1, 1, 4)
for window in series.split(10, dim=1):
    states, hidden = rnn(window, hidden)
    loss = (read(states[:, :-1]) - window[:, 1:]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    hidden = hidden.detach()
