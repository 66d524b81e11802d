# thread: https://github.com/archinetai/smart-pytorch/issues/5
# kind: broken
# ends: RuntimeError at line 14, called from line 18
# says: appears to not have been used in the graph
# finding: Line 14 asks for the gradient of `gap` for `noise`, but `gap` was not computed from `noise`:
#   line 12 adds `noise.detach()`, which cuts it off.
# culprit: 12
# victim: 14
# repair: line 12: shifted = encoder(hidden + noise)
# repaired: list(direction.shape) == [2, 3]

import torch
from torch import nn

torch.manual_seed(2)
encoder = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


def worst_direction(hidden, reference):
    noise = torch.randn_like(hidden) * 1e-2
    noise.requires_grad_()
    reference = reference.detach()
    shifted = encoder(hidden + noise.detach())
    gap = nn.functional.mse_loss(shifted, reference)
    (slope,) = torch.autograd.grad(gap, noise)
    return slope / slope.norm()


direction = worst_direction(torch.rand(2, 3), encoder(torch.rand(2, 3)))
