# Views under inference_mode.
import torch

with torch.inference_mode():
    t = torch.ones(4)
    v = t[:2]
    v.add_(1)
n = torch.ones(4)
with torch.inference_mode():
    w = n[:2]
    w.add_(1)
print(w.is_inference(), n._version)
