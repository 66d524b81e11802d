# A foreach operator writes to a saved tensor, so backward raises.
import torch

w = torch.ones(2, requires_grad=True)
loss = (w * w).sum()
with torch.no_grad():
    torch._foreach_add_([w], 1.0)
loss.backward()
