# split, unfold, as_strided.
import torch

x = torch.zeros(6)
a, b = x.split(3)
a.fill_(1)
b[:] = 2
c = x.unfold(0, 3, 1)
x[2] = 9
d = x.as_strided((2, 2), (1, 1), 1)
