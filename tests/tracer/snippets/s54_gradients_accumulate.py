# Gradients accumulate.
import torch

w = torch.tensor(2.0, requires_grad=True)
l = w ** 2
l.backward(retain_graph=True)
l.backward()
