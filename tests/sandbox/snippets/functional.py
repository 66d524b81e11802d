import torch

f = lambda x: (x**2).sum()
torch.func.vmap(torch.func.grad(f))(torch.randn(3, 4))
torch.func.jacrev(f)(torch.randn(3))
