# An inference tensor cannot be saved.
import torch

w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    t = torch.ones(2) * 3
y = (w * t).sum()
