# A buffer is filled from its own previous cell.
import torch

w = torch.tensor(2.0, requires_grad=True)
out = torch.zeros(4)
out[0] = w
for i in range(1, 4):
    out[i] = out[i - 1] * w
out[-1].backward()
