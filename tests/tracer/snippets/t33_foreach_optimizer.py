# An optimizer with foreach=True makes a step between two backwards.
import torch

w = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1, foreach=True)
loss = (w * w).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()
