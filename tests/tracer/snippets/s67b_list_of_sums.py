# A list of sums holds three tensors.
import torch

h = torch.zeros(2)
hist = []
for _ in range(3):
    h = h + 1
    hist.append(h)
