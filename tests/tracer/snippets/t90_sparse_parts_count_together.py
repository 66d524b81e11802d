# Indices, values and the components of a CSR matrix use the version counter of the sparse tensor; saved components are
# recorded.
import warnings

import torch

warnings.simplefilter("ignore")
i = torch.tensor([[0, 1], [2, 0]])
v = torch.tensor([3.0, 4.0], requires_grad=True)
s = torch.sparse_coo_tensor(i, v, (2, 3), is_coalesced=True)
t = s._values()
u = s._indices()
d = s.detach()
p = d._values()
q = d._indices()
p.mul_(2)
d.mul_(2)
m = torch.eye(3).to_sparse_csr()
a, b, c = m.values(), m.crow_indices(), m.col_indices()
a.mul_(2)
m.mul_(3)
other = torch.ones(2)
k = torch.eye(3).to_sparse_csc()
n = k.values()
e = torch.sparse_coo_tensor(i, v, (2, 3))
loss = torch.sparse.sum(e)
loss.backward()
