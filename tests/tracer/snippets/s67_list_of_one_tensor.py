# A list of one growing tensor.
import torch

h = torch.zeros(2)
hist = []
for _ in range(3):
    h += 1
    hist.append(h)
print(hist)
