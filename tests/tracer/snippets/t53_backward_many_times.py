# Several backwards run through the same retained graph.
import torch

x = torch.ones(2, requires_grad=True)
y = x * x
for i in range(3):
    y.sum().backward(retain_graph=True)
gs = torch.autograd.grad(y.sum(), x, retain_graph=True)[0]
y.backward(gradient=torch.tensor([1.0, 10.0]))
