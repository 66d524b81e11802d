# An LSTM.
import torch

torch.manual_seed(0)
r = torch.nn.LSTM(2, 3)
x = torch.randn(4, 1, 2)
o, (h, c) = r(x)
o.sum().backward()
w = r.weight_ih_l0
