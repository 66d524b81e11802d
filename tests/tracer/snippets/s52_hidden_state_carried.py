# A hidden state carries the last graph.
import torch

W = torch.ones(1, requires_grad=True)
h = torch.zeros(1)
for t in range(2):
    h = torch.tanh(W * h + 1)
    loss = h.sum()
    loss.backward()
