# thread: https://ajkdrag.in/2-Zettels/detach-trick-for-straight-through-estimators
# kind: ordinary
# ends: finished
# fact: bits.tolist() == [1.0, 0.0, 1.0] and x.grad.tolist() == [0.5, 0.25, -1.0]
# finding: none

import torch

x = torch.tensor([0.6, -0.2, 1.5], requires_grad=True)
hard = (x > 0).float()
bits = x + (hard - x).detach()
loss = (bits * torch.tensor([0.5, 0.25, -1.0])).sum()
loss.backward()
