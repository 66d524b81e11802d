# thread: https://github.com/pytorch/pytorch/issues/23941
# kind: broken
# ends: RuntimeError at line 6, called from line 13, called from line 24
# says: appears to not have been used in the graph
# fact: net.field[0].weight.grad is None
# finding: u on line 12 is computed from points, not from the slice t of line 11, so t is not part of u's graph, and line 13
#   (in derivative, line 6) cannot differentiate u with respect to t. Compute u from the columns: self.field(torch.cat([x, t], 1)).
# culprit: 12
# victim: 6
# repair: line 12: u = self.field(torch.cat([x, t], 1))
# repaired: net.field[0].weight.grad.abs().sum().item() > 0

import torch
from torch import nn


def derivative(output, of):
    return torch.autograd.grad(output.sum(), of, create_graph=True)[0]


class Heat(nn.Module):
    def residual(self, points):
        x, t = points[:, :1], points[:, 1:]
        u = self.field(points)
        u_t = derivative(u, t)
        u_x = derivative(u, x)
        return u_t - 0.1 * derivative(u_x, x)

    def __init__(self):
        super().__init__()
        self.field = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))


torch.manual_seed(0)
net = Heat()
loss = net.residual(torch.rand(10, 2, requires_grad=True)).pow(2).mean()
loss.backward()
print(net.field[0].weight.grad.shape)
