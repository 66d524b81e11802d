# Detached, it works.
import torch

W = torch.ones(1, requires_grad=True)
h = torch.zeros(1)
for t in range(2):
    h = torch.tanh(W * h.detach() + 1)
    loss = h.sum()
    loss.backward()

#: run.finished and run.after("loss = h.sum()", 1).backward_nodes("loss").count("TanhBackward0") == 1
