# A tensor does not fit a parameter's slot.
import torch

m = torch.nn.Linear(2, 1)
m.weight = m.weight - 0.1
