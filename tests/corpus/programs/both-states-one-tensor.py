# thread: https://github.com/jihunchoi/hyperlstm/issues/1
# kind: ordinary
# ends: finished
# fact: zero.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] and cell.weight_ih.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(30)
cell = nn.LSTMCell(2, 3)
zero = torch.zeros(2, 3)
state = (zero, zero)
for word in torch.rand(4, 2, 2):
    state = cell(word, state)
state[0].sum().backward()
