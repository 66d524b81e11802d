# Functional derivatives.
import torch

x = torch.randn(3, 2, requires_grad=True)
j = torch.autograd.functional.jacobian(lambda t: t ** 2, x)
h = torch.func.hessian(lambda t: (t ** 3).sum())(x.detach()[0])
p = torch.func.jvp(torch.sin, (x.detach(),), (torch.ones(3, 2),))[1]
