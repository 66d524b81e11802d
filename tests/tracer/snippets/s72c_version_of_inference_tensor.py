# An inference tensor has no version counter.
import torch

with torch.inference_mode():
    t = torch.ones(2) * 3
print(t._version)
