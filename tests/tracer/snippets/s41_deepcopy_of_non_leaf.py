# A non-leaf cannot be deep-copied.
import torch
import copy

x = torch.ones(2, requires_grad=True)
y = copy.deepcopy(x)
z = copy.deepcopy(x * 2)
