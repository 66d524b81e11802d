# A manual step on a retained graph.
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w * w
loss.backward(retain_graph=True)
with torch.no_grad():
    w -= 0.1 * w.grad
loss.backward()
