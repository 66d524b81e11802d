# thread: https://github.com/pytorch/pytorch/issues/25129
# kind: broken
# ends: AssertionError at line 11
# says: key_padded_mask
# finding: `tokens` is (7, 3, 10): 7 positions, 3 samples. The padding mask has that shape, too (line 9), and the encoder wants
#   (batch, positions), here (3, 7) (line 11). Pass `padding.T`.
# culprit: 9
# victim: 11
# repair: line 11: out = encoder(tokens, src_key_padding_mask=padding.T)
# repaired: out.shape == (7, 3, 10)

import torch
from torch import nn

torch.manual_seed(809)
layer = nn.TransformerEncoderLayer(d_model=10, nhead=2, dim_feedforward=16)
encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

tokens = torch.randn(7, 3, 10)
padding = torch.zeros(7, 3, dtype=torch.bool)
padding[5:, 1] = True
out = encoder(tokens, src_key_padding_mask=padding)
out.square().mean().backward()
