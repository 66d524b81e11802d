# Two losses share a freed sub-graph.
import torch

w = torch.ones(2, requires_grad=True)
h = w * w
l1, l2 = h.sum(), h.prod()
l1.backward()
l2.backward()
