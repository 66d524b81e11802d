import torch

torch.set_num_threads(2)
print(torch.randn(500, 500).matmul(torch.randn(500, 500)).shape)
x = torch.randn(1000, 1000)
print((x + x).shape)
