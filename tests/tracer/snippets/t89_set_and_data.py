# `set_` and `t_` write no byte, and `.data =` comes after the other writes of its line.
import torch

a = torch.zeros(4)
b = torch.arange(4.0)
kept = b.detach()
b.set_(a)
c = torch.arange(4.0)
c.set_(a.untyped_storage(), 1, (2,), (1,))
d = torch.ones(3)
e = torch.zeros(3)
f = d.detach()
d.mul_(2); d.data = e
x = torch.ones(3, requires_grad=True)
y = x * 2
z = y * y
old = y.detach()
with torch.no_grad():
    y.add_(1); y.data = e
big = torch.ones(40, 40, requires_grad=True) * 1
product = big * 3
square = big * big
with torch.no_grad():
    big.unsqueeze_(0)
h = torch.ones(3, requires_grad=True) * 1
w = h * h
with torch.no_grad():
    h.set_(torch.zeros(3))
k = torch.ones(2)
k.resize_(1)
