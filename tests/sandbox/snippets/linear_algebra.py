import torch

a = torch.randn(5, 5)
torch.linalg.svd(a)
torch.linalg.eig(a)
torch.fft.fft2(a)
torch.linalg.inv(a)
torch.matmul(torch.randn(300, 300), torch.randn(300, 300))
