# thread: https://github.com/pytorch/examples/blob/main/time_sequence_prediction/train.py
# kind: ordinary
# ends: finished
# fact: drawn.shape == (1, 6) and seq.out.weight.grad is not None
# finding: none

import numpy as np
import torch
from torch import nn

class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.LSTMCell(1, 4), nn.LSTMCell(4, 4), nn.Linear(4, 1)

    def forward(self, waves, future=0):
        outputs = []
        h1 = c1 = h2 = c2 = torch.zeros(waves.size(0), 4, dtype=torch.double)
        for now in waves.split(1, dim=1):
            h1, c1 = self.first(now, (h1, c1))
            h2, c2 = self.second(h1, (h2, c2))
            output = self.out(h2)
            outputs += [output]
        for _ in range(future):
            h1, c1 = self.first(output, (h1, c1))
            h2, c2 = self.second(h1, (h2, c2))
            output = self.out(h2)
            outputs += [output]
        return torch.cat(outputs, dim=1)

torch.manual_seed(106)
data = np.sin(np.arange(5) / 2 + np.arange(3)[:, None])
source, target = torch.from_numpy(data[1:, :-1]), torch.from_numpy(data[1:, 1:])
seq, criterion = Sequence().double(), nn.MSELoss()
optimizer = torch.optim.LBFGS(seq.parameters(), lr=0.8, max_iter=2)

def closure():
    optimizer.zero_grad()
    loss = criterion(seq(source), target)
    loss.backward()
    return loss

optimizer.step(closure)
with torch.no_grad():
    ahead = seq(torch.from_numpy(data[:1, :-1]), future=2)
    drawn = ahead.detach().numpy()
