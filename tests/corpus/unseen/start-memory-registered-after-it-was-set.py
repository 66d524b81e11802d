# thread: https://github.com/pytorch/pytorch/issues/3232
# kind: broken
# ends: KeyError at line 8, called from line 14
# says: attribute 'start' already exists
# finding: Line 7 already made `start` an ordinary attribute, so `register_buffer` refuses the name (line 8). Give the tensor to
#   `register_buffer` only.
# culprit: 7
# victim: 8
# repair: without 7
# repair: line 8: self.register_buffer("start", torch.zeros(rows, width))
# repaired: set(memory.state_dict()) == {'start', 'write.weight', 'write.bias'}

import torch
from torch import nn

class Memory(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.start = torch.zeros(rows, width)
        self.register_buffer("start", self.start)
        self.write = nn.Linear(width, width)

    def forward(self, x):
        return self.start + self.write(x)

memory = Memory(3, 4)
memory(torch.ones(3, 4)).sum().backward()
