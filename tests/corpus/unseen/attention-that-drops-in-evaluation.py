# thread: https://github.com/pytorch/pytorch/issues/124464
# kind: silently wrong
# ends: finished
# fact: not torch.equal(first, second)
# finding: `scaled_dot_product_attention` drops whenever `dropout_p` is not 0; it does not know of `eval()` (line 12),
#   so two evaluations of the same input differ (line 18). Pass `self.dropout if self.training else 0.0`.
# culprit: 12
# victim: 18
# repair: line 12: return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
# repaired: torch.equal(first, second)

import torch
import torch.nn.functional as F
from torch import nn

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.dropout = nn.Linear(8, 24), 0.5

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)

torch.manual_seed(410)
layer, x = Attention(), torch.rand(2, 4, 8)
layer.eval()
with torch.no_grad():
    first, second = layer(x), layer(x)
