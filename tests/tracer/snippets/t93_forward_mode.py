# Tensors with a forward-mode tangent: with and without grad mode, through views and writes, in a function, and after the level.
import torch
from torch.autograd import forward_ad

p = torch.tensor([1.0, 2.0], requires_grad=True)
t = torch.tensor([3.0, 4.0])

def carry(x):
    inside = x * 3
    return inside + 1

with forward_ad.dual_level():
    dual = forward_ad.make_dual(p, t)
    y = dual * dual
    first = y[0]
    z = carry(y)
    plain = torch.ones(2)
    plain.mul_(dual.detach())
    w = torch.zeros(2)
    w.copy_(y)
    w.mul_(2)
    with torch.no_grad():
        unrecorded = dual + 1
    mixed = torch.cat([w, plain])
    primal, tangent = forward_ad.unpack_dual(z)
    t.add_(1)
    wide = dual.expand(200, 2) * 1
    total = z.sum()
    total.backward()
    dual = forward_ad.make_dual(p.detach(), t)
after = p * 2
y.sum().item()
with forward_ad.dual_level():
    again = forward_ad.make_dual(t, torch.ones(2))
    cube = again ** 3
