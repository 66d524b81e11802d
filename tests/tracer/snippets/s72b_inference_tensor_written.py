# An inference tensor cannot be written outside.
import torch

with torch.inference_mode():
    t = torch.ones(2) * 3
t.add_(1)
