import torch

m = torch.nn.LSTM(4, 5, 2)
o, _ = m(torch.randn(3, 2, 4))
o.sum().backward()
t = torch.nn.TransformerEncoderLayer(8, 2)
t(torch.randn(3, 2, 8)).sum().backward()
