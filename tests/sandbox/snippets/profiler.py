import torch
from torch.profiler import profile

with profile() as p:
    torch.ones(3).sum()
print(len(p.key_averages()))
