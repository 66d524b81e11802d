# numpy() of a tensor that requires grad raises.
import torch

x = torch.ones(2, requires_grad=True)
x.numpy()

#: message = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
#: run.raised("RuntimeError", "x.numpy()", message) and run.end.requires_grad("x")
