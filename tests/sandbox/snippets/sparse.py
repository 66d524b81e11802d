import torch

s = torch.eye(3).to_sparse()
print((s @ torch.ones(3, 1)).shape)
