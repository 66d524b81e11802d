# In-place foreach operators increment the version counter of each tensor (pytorch PR 191154: not under a dispatch mode).
import torch

a, b = torch.ones(2), torch.zeros(3)
torch._foreach_add_([a, b], 1.0)
torch._foreach_mul_([a, b], torch.tensor(0.5))
print(a._version, b._version)
