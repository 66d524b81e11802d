# Backward frees a saved sparse matrix like any other saved tensor.
import torch
import warnings

warnings.simplefilter("ignore")
s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), requires_grad=True)
d = torch.ones(3, 2, requires_grad=True)
product = torch.sparse.mm(s, d)
product.sum().backward(retain_graph=True)
product.sum().backward()
print(s.grad, d.grad)
