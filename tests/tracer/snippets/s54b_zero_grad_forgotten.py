# Without zero_grad the gradients of a loop pile up.
import torch

w = torch.ones(1, requires_grad=True)
for _ in range(3):
    (w * 2).sum().backward()
    print(w.grad)
