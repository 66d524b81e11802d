# thread: https://github.com/uchida-takumi/CustomizedLinear/issues/2
# kind: broken
# ends: TypeError at line 19
# says: 'float' and 'NoneType'
# fact: layer.mask.grad is None
# finding: `mask` is a Parameter with `requires_grad=False` (line 9), so it gets no gradient, and line 19 multiplies its
#   `.grad`, which is None. Make it a buffer, or skip it.
# culprit: 9
# victim: 19
# repair: line 19: if param.grad is not None: param -= 0.1 * param.grad
# repaired: layer.mask.grad is None and layer.weight.grad.shape == (2, 3)

import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 3))
        self.mask = nn.Parameter(mask, requires_grad=False)

    def forward(self, x):
        return x @ (self.weight * self.mask).T


layer = Masked(torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
layer(torch.ones(4, 3)).pow(2).mean().backward()
with torch.no_grad():
    for param in layer.parameters():
        param -= 0.1 * param.grad
