# `w = w - ...` loses the leaf.
import torch

w = torch.tensor([1.0], requires_grad=True)
for step in range(2):
    loss = (w * 2).sum()
    loss.backward()
    print(step, w.is_leaf, w.grad)
    w = w - 0.1 * w.grad
