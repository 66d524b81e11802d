# thread: https://github.com/pytorch/pytorch/issues/13324
# kind: broken
# ends: RuntimeError at line 10
# says: sorted in decreasing order
# finding: `lengths` is [3, 5] (line 8), and `pack_padded_sequence` wants the longest sequence first unless it is told otherwise
#   (line 10). Pass `enforce_sorted=False`.
# culprit: 10
# victim: 10
# repair: line 10: packed = pack_padded_sequence(padded, lengths, enforce_sorted=False)
# repaired: states.shape == (1, 2, 4)

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

torch.manual_seed(803)
longer = torch.randn(5, 6)
short = torch.randn(3, 6)
lengths = [len(short), len(longer)]
padded = pad_sequence([short, longer])
packed = pack_padded_sequence(padded, lengths)
_, states = nn.GRU(6, 4)(packed)
states.sum().backward()
