# Sparse, nested and masked tensors: no strides, and a gradient that a leaf stores without a copy.
import torch
import warnings

warnings.simplefilter("ignore")
embedding = torch.nn.Embedding(5, 2, sparse=True)
taken = []
embedding.weight.register_hook(lambda grad: taken.append(grad._values().data_ptr()))
embedding(torch.tensor([1, 3, 1])).sum().backward()
grad = embedding.weight.grad
print(grad._values().data_ptr() == taken[0], grad.is_coalesced())
embedding(torch.tensor([0])).sum().backward()
print(embedding.weight.grad is grad, grad)
torch.optim.SparseAdam([embedding.weight]).step()
s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), requires_grad=True)
d = torch.ones(3, 2, requires_grad=True)
torch.sparse.mm(s, d).sum().backward()
csr = torch.eye(3).to_sparse_csr()
nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
twice = nested * 2
print(twice.grad_fn.name())
jagged = torch.nested.nested_tensor([torch.ones(2, 1), torch.ones(3, 1)], layout=torch.jagged, requires_grad=True)
copied = jagged.clone()
print(copied.shape[0], [t.sum().item() for t in copied.unbind()])
masked = torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False]))
print(masked)
