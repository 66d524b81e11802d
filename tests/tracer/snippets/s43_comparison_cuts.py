# A comparison cuts the graph.
import torch

x = torch.tensor([0.2, 0.7], requires_grad=True)
c = x > 0.5
m = c.float().mean()
m.backward()
