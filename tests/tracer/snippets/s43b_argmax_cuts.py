# argmax cuts the graph.
import torch

x = torch.tensor([0.2, 0.7], requires_grad=True)
a = x.argmax()
f = a.float()
f.backward()
