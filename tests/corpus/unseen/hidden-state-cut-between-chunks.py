# thread: https://lightning.ai/docs/pytorch/stable/_sources/common/tbptt.rst.txt
# kind: ordinary
# ends: finished
# fact: state[0].grad_fn is None
# fact: net.rnn.weight_hh_l0.grad.abs().sum().item() > 0
# finding: none

import torch
import torch.nn.functional as F
from torch import nn


class Parity(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 4, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, bits, state):
        hidden, state = self.rnn(bits, state)
        return self.out(hidden), state


torch.manual_seed(0)
net, state, total = Parity(), None, 0.0
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
bits = torch.randint(0, 2, (3, 12))
parity = bits.cumsum(1) % 2
for x, y in zip(bits.split(4, dim=1), parity.split(4, dim=1)):
    scores, state = net(x[..., None].float(), state)
    loss = F.cross_entropy(scores.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    state = tuple(part.detach() for part in state)
    total += loss.item()
print(total)
