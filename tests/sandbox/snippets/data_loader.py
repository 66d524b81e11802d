import torch
from torch.utils.data import DataLoader, TensorDataset

for b in DataLoader(TensorDataset(torch.arange(6.0)), batch_size=2, shuffle=True):
    print(b)
